package follow

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// plainEvery is how often a line is written where lines cannot be overwritten.
	plainEvery = 5 * time.Second
	barWidth   = 20
	// sparkWidth is how many of the last rates a sparkline has.
	sparkWidth = 30
	// overwrite returns to the begin of a terminal's line and clears it.
	overwrite = "\r\x1b[K"
)

// Screen is where states are shown.
type Screen struct {
	To       io.Writer
	Terminal bool
	// Width of the terminal in columns.
	Width func() int

	// shown says whether a terminal has a line that has to be cleared.
	shown bool
	// place and time of the last plain line.
	place string
	said  time.Duration
	// rates that were seen last, and the step that they are of.
	rates   []int64
	ratesOf string
}

// Show shows a state, some time after the begin.
func (s *Screen) Show(state State, elapsed time.Duration) {
	s.remember(state)
	if s.Terminal {
		s.shown = true
		s.put(overwrite + cut(s.line(state, elapsed), s.Width()-1))
		return
	}
	place := state.Stage + state.Step
	if state.Step == "" {
		place += state.Detail
	}
	due := state.Rate > 0 && elapsed-s.said >= plainEvery
	if place == s.place && !due {
		return
	}
	s.place, s.said = place, elapsed
	s.put(s.line(state, elapsed) + "\n")
}

// remember keeps the rates of the present step: those of another one, or of documents, are not to be seen beside them.
func (s *Screen) remember(state State) {
	if of := state.Stage + state.Step; of != s.ratesOf {
		s.rates, s.ratesOf = nil, of
	}
	if state.Rate > 0 {
		s.rates = append(s.rates, state.Rate)
		s.rates = s.rates[max(0, len(s.rates)-sparkWidth):]
	}
}

// Clear takes the line of a terminal away, if there is one.
func (s *Screen) Clear() {
	if s.shown {
		s.shown = false
		s.put(overwrite)
	}
}

// put writes for people; a terminal that is gone is no reason to stop.
func (s *Screen) put(text string) { _, _ = io.WriteString(s.To, text) }

func (s *Screen) line(state State, elapsed time.Duration) string {
	parts := []string{fmt.Sprintf("%7.1f s", elapsed.Seconds()), fmt.Sprintf("%-12s", state.Stage)}
	if state.Step == "" {
		parts = append(parts, strings.Join(strings.Fields(state.Detail), " "))
	} else {
		parts = append(parts, state.Step)
	}
	if state.Percent >= 0 {
		if s.Terminal {
			parts = append(parts, bar(state.Percent))
		}
		parts = append(parts, fmt.Sprintf("%3d %%", state.Percent))
	}
	if state.Rate > 0 {
		parts = append(parts, present.Count(state.Rate)+" "+state.Unit)
		if s.Terminal {
			parts = append(parts, spark(s.rates))
		}
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}

func bar(percent int) string {
	full := min(barWidth, max(0, percent*barWidth/100))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// marks of a sparkline, from nothing to the most.
var marks = []rune("▁▂▃▄▅▆▇█")

// spark draws rates from zero on, so that the heights are as the rates.
func spark(rates []int64) string {
	var most int64
	for _, rate := range rates {
		most = max(most, rate)
	}
	drawn := make([]rune, 0, len(rates))
	for _, rate := range rates {
		at := int64(0)
		if most > 0 {
			at = max(0, rate) * int64(len(marks)-1) / most
		}
		drawn = append(drawn, marks[at])
	}
	return string(drawn)
}

// cut keeps a line on one line of a terminal.
func cut(line string, width int) string {
	if width < 1 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
