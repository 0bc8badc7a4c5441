package output

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// columns is a table of text: the first columns are aligned to the left, the others, which hold numbers, to the right.
type columns struct {
	left int
	rows [][]string
}

func (c *columns) add(cells ...string) {
	c.rows = append(c.rows, cells)
}

// write writes the rows with two spaces between columns that are as wide as need be.
func (c *columns) write(to io.StringWriter) {
	var widths []int
	for _, row := range c.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range c.rows {
		padded := make([]string, len(row))
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < c.left {
				padded[i] = cell + padding
			} else {
				padded[i] = padding + cell
			}
		}
		_, _ = to.WriteString(strings.TrimRight(strings.Join(padded, "  "), " ") + "\n")
	}
}

// writeMarkdown writes the rows as a table of Markdown. A row may have more cells than the first one has names.
func (c *columns) writeMarkdown(to io.StringWriter) {
	width := 0
	for _, row := range c.rows {
		width = max(width, len(row))
	}
	for number, row := range c.rows {
		_, _ = to.WriteString("|")
		for at := range width {
			cell := ""
			if at < len(row) {
				cell = strings.ReplaceAll(row[at], "|", `\|`)
			}
			_, _ = to.WriteString(" " + cell + " |")
		}
		_, _ = to.WriteString("\n")
		if number == 0 {
			left := min(c.left, width)
			_, _ = to.WriteString("|" + strings.Repeat("---|", left) + strings.Repeat("---:|", width-left) + "\n")
		}
	}
}

// thousands writes a number with a comma between groups of three digits.
func thousands(number int64) string {
	digits := strconv.FormatInt(number, 10)
	sign := ""
	if number < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
