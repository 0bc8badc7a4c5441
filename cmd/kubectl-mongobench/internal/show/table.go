package show

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Paint colours single words.
type Paint bool

// Colours of a terminal.
const (
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

func (p Paint) with(colour, text string) string {
	if !p || colour == "" {
		return text
	}
	return colour + text + plain
}

// good and bad are the words that are worth a colour.
var wordColours = map[string]string{
	"Improved": green, "Regressed": red, "Inconclusive": yellow,
	"succeeded": green, "failed": red, "refused": red, "regressed": red, "untrusted": yellow, "unknown": yellow,
}

// table is rows of cells, the first of them the heading.
type table struct {
	paint Paint
	// right are the columns of numbers.
	right map[string]bool
	rows  [][]string
}

func newTable(paint Paint, heading ...string) *table {
	return &table{paint: paint, right: map[string]bool{}, rows: [][]string{heading}}
}

// numbers sets columns to the right, by their headings.
func (t *table) numbers(headings ...string) *table {
	for _, heading := range headings {
		t.right[heading] = true
	}
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the rows with two spaces between columns, and no space at the end of a line.
func (t *table) write(to io.Writer) error {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for number, row := range t.rows {
		text.WriteString(t.line(row, widths, number == 0))
		text.WriteString("\n")
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func (t *table) line(row []string, widths []int, heading bool) string {
	var text, gap strings.Builder
	for i, cell := range row {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		colour := wordColours[cell]
		if heading {
			colour = bold
		}
		if t.right[t.rows[0][i]] {
			gap.WriteString(padding)
			padding = ""
		}
		if cell != "" {
			text.WriteString(gap.String())
			text.WriteString(t.paint.with(colour, cell))
			gap.Reset()
		}
		gap.WriteString(padding + "  ")
	}
	return text.String()
}

// markdown writes the rows as a table of Markdown, as pull requests show it.
func (t *table) markdown(to io.Writer) error {
	var text strings.Builder
	for number, row := range t.rows {
		for _, cell := range row {
			text.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		text.WriteString("|\n")
		if number > 0 {
			continue
		}
		for _, heading := range row {
			text.WriteString("|---")
			if t.right[heading] {
				text.WriteString(":")
			}
		}
		text.WriteString("|\n")
	}
	_, err := io.WriteString(to, text.String())
	return err
}
