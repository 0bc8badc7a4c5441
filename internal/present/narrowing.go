package present

import (
	"math"
	"slices"
	"strings"
)

// Narrowing is a change whose bounds become narrower while it is measured, in hundredths of a percent.
type Narrowing struct {
	// Name of what changes.
	Name string
	// Effect is nil while nothing is known.
	Effect, Low, High *int64
	// Answer is what it came to; empty: it is not decided.
	Answer string
}

// mostNarrowings is how many are shown while they are measured.
const mostNarrowings = 8

// Narrowings are the lines of a terminal, in columns, with a drawing of each; where nothing can be overwritten they are
// short:
//
//	throughput  -4.8 %  -6.1 % to -3.4 %  Regressed  [        <+>   |              ]
//	throughput -4.8 % (-6.1 % to -3.4 %): Regressed
func Narrowings(all []Narrowing, drawn bool) []string {
	rows := &Table{Columns: slices.Concat(Columns(""), Numbers("", ""), Columns("", ""))}
	lines := make([]string, 0, mostNarrowings+1)
	for _, one := range all[:min(len(all), mostNarrowings)] {
		lines = append(lines, "  "+one.String())
		known := Interval(one.Low, one.High)
		if one.Effect == nil {
			known = "not known yet"
		}
		rows.Add("  "+one.Name, Change(one.Effect), known, one.Answer, one.drawing())
	}
	if drawn {
		var text strings.Builder
		rows.text(&text, false)
		lines = lines[:0]
		if written := strings.TrimSuffix(text.String(), "\n"); written != "" {
			lines = strings.Split(written, "\n")
		}
	}
	if more := len(all) - mostNarrowings; more > 0 {
		lines = append(lines, "  and "+Plural(int64(more), "more line"))
	}
	return lines
}

// String is a line by itself.
func (n Narrowing) String() string {
	text := n.Name
	switch {
	case n.Effect == nil:
		text += " not known yet"
	case n.Low == nil || n.High == nil:
		text += " " + Change(n.Effect)
	default:
		text += " " + Change(n.Effect) + " (" + Interval(n.Low, n.High) + ")"
	}
	if n.Answer != "" {
		text += ": " + n.Answer
	}
	return text
}

const (
	// reach is how many columns a drawing has on each side of no change.
	reach = 14
	// farthest is the change, in percent, that is drawn at the end: what is beyond it is there as well.
	farthest = 100
)

// place of a change in a drawing. The scale is a logarithm, so that bounds are seen to narrow from 100 % to 1 %.
func place(basisPoints int64) int {
	percent := float64(basisPoints) / 100
	share := min(1, math.Log1p(math.Abs(percent))/math.Log1p(farthest))
	return reach + int(math.Round(math.Copysign(share*reach, percent)))
}

// drawing is the interval around no change, which is a line in the middle.
func (n Narrowing) drawing() string {
	cells := []rune(strings.Repeat(" ", 2*reach+1))
	known := n.Effect != nil && n.Low != nil && n.High != nil
	if known {
		low, high := place(min(*n.Low, *n.High)), place(max(*n.Low, *n.High))
		for at := low; at <= high; at++ {
			cells[at] = '='
		}
		cells[low], cells[high] = '<', '>'
	}
	cells[reach] = '|'
	if known {
		cells[place(*n.Effect)] = '+'
	}
	return "[" + string(cells) + "]"
}
