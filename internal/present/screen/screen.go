package screen

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	// plainEvery is how often a line is written where lines cannot be overwritten.
	plainEvery = 5 * time.Second
	barWidth   = 20
	// usualWidth is that of a terminal that does not tell its own.
	usualWidth = 80
	// overwrite returns to the start of a terminal's line and clears it, and overwriteAll all that is below it too.
	overwrite    = "\r\x1b[K"
	overwriteAll = "\x1b[%dA\r\x1b[J"
)

// Width of the terminal that is written to, in columns; 0 when it is none, or one that knows lines only.
func Width(to io.Writer) int {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		return width
	}
	return usualWidth
}

// Line is where it is shown how far something has come.
type Line struct {
	to io.Writer
	// width of the terminal in columns, at present; 0 where lines cannot be overwritten.
	width func() int
	// shown says whether a terminal has a line that has to be cleared, and below how many stand below it.
	shown bool
	below int
	// place and time of the last plain line, and what was below it.
	place string
	said  time.Duration
	under []string
}

// New is a Line for what is written to.
func New(to io.Writer) *Line {
	return Of(to, func() int { return Width(to) })
}

// Of is a Line of a width that another one knows.
func Of(to io.Writer, width func() int) *Line { return &Line{to: to, width: width} }

// Overwritten says whether the line is one of a terminal, which has room for drawings.
func (l *Line) Overwritten() bool { return l.width() > 0 }

// Show shows a text at a time after the start, and other lines below it. Where lines cannot be overwritten, it is shown
// if it tells of another place than the one before, and in between only if something moves; what is below it only when
// it is not as it was.
func (l *Line) Show(place, text string, at time.Duration, moves bool, below ...string) {
	if width := l.width(); width > 0 {
		lines := append(make([]string, 0, 1+len(below)), l.back()+cut(text, width-1))
		for _, line := range below {
			lines = append(lines, cut(line, width-1))
		}
		l.shown, l.below = true, len(below)
		l.put(strings.Join(lines, "\n"))
		return
	}
	if place == l.place && (!moves || at-l.said < plainEvery) {
		return
	}
	l.place, l.said = place, at
	if !slices.Equal(below, l.under) {
		l.under = slices.Clone(below)
		text = strings.Join(append([]string{text}, below...), "\n")
	}
	l.put(text + "\n")
}

// Clear takes the lines of a terminal away, if there are any.
func (l *Line) Clear() {
	if l.shown {
		l.shown = false
		l.put(l.back())
		l.below = 0
	}
}

// back returns to where the first line begins, and clears all.
func (l *Line) back() string {
	if l.below == 0 {
		return overwrite
	}
	return fmt.Sprintf(overwriteAll, l.below)
}

// put writes for people; a terminal that is gone is no reason to stop.
func (l *Line) put(text string) { _, _ = io.WriteString(l.to, text) }

// cut keeps a line on one line of a terminal.
func cut(line string, width int) string {
	if width < 1 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

// Bar draws a share of a whole.
func Bar(percent int) string {
	full := min(barWidth, max(0, percent*barWidth/100))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// marks of a sparkline, from nothing to the most.
var marks = []rune("▁▂▃▄▅▆▇█")

// Spark draws rates from zero on, so that the heights are as the rates.
func Spark(rates []int64) string {
	drawn := make([]rune, 0, len(rates))
	for _, rate := range rates {
		drawn = append(drawn, marks[max(0, rate)*int64(len(marks)-1)/max(1, slices.Max(rates))])
	}
	return string(drawn)
}
