package present

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells below named columns: text and Markdown here, and the JSON that a page draws. A row may have
// fewer cells than there are columns.
type Table struct {
	Caption string   `json:"caption"`
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// Column of a Table.
type Column struct {
	Name string `json:"name"`
	// Title explains the column.
	Title string `json:"title,omitempty"`
	// Number aligns the column to the right, and Bar draws its percentages as bars.
	Number bool `json:"number,omitempty"`
	Bar    bool `json:"bar,omitempty"`
	// Wrap says that the texts are long.
	Wrap bool `json:"wrap,omitempty"`
}

// Cell is a text, with the value that it is sorted and copied by where that is a number, and its unit.
type Cell struct {
	Text  string
	Value *float64
	Unit  string
}

// MarshalJSON writes a text, or a list of text, value, and the exact value with its unit where the text rounds it.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Value == nil:
		return json.Marshal(c.Text)
	case c.Unit == "":
		return json.Marshal([]any{c.Text, *c.Value})
	default:
		return json.Marshal([]any{c.Text, *c.Value, strconv.FormatFloat(*c.Value, 'f', -1, 64) + " " + c.Unit})
	}
}

// Text is a cell without a value.
func Text(words string) Cell { return Cell{Text: words} }

// Texts are cells without values.
func Texts(words ...string) []Cell {
	cells := make([]Cell, 0, len(words))
	for _, word := range words {
		cells = append(cells, Text(word))
	}
	return cells
}

// Valued is a cell that is sorted and copied by its value.
func Valued(words string, value float64, unit string) Cell {
	return Cell{Text: words, Value: &value, Unit: unit}
}

// CountCell is a number of things.
func CountCell(number int64) Cell { return Valued(Count(number), float64(number), "") }

// MicrosCell is a time.
func MicrosCell(micros int64) Cell { return Valued(Micros(micros), float64(micros), "µs") }

// MillisCell is a time.
func MillisCell(millis int64) Cell { return Valued(Millis(millis), float64(millis), "ms") }

// BytesCell is a size.
func BytesCell(number int64) Cell { return Valued(Bytes(number), float64(number), "bytes") }

// BytesRateCell is a rate.
func BytesRateCell(number int64) Cell {
	return Valued(BytesPerSecond(number), float64(number), "bytes/s")
}

// KnownCell is the cell of a figure that is negative where it is not known.
func KnownCell(number int64, cell func(int64) Cell) Cell {
	if number < 0 {
		return Text(Unknown)
	}
	return cell(number)
}

// Columns are columns of texts.
func Columns(names ...string) []Column {
	columns := make([]Column, 0, len(names))
	for _, name := range names {
		columns = append(columns, Column{Name: name})
	}
	return columns
}

// Numbers are columns of numbers.
func Numbers(names ...string) []Column {
	columns := Columns(names...)
	for i := range columns {
		columns[i].Number = true
	}
	return columns
}

// NewTable is a table with columns of texts, and of numbers behind them.
func NewTable(texts []string, numbers ...string) *Table {
	return &Table{Columns: slices.Concat(Columns(texts...), Numbers(numbers...))}
}

// Add adds a row of texts.
func (t *Table) Add(words ...string) { t.Rows = append(t.Rows, Texts(words...)) }

// Write writes the rows as text.
func (t *Table) Write(to io.Writer, paint Paint) error {
	document := Document{Paint: paint}
	t.text(&document.text, paint)
	return document.Write(to)
}

// text writes the rows with two spaces between columns, below a heading that stands out when it is painted. Without
// names of columns there is no heading.
func (t *Table) text(to *strings.Builder, paint Paint) {
	rows := t.texts()
	widths := make([]int, len(t.Columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for number, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			colour := wordColours[cell]
			if number == 0 {
				colour = bold
			}
			cells[i] = t.Columns[i].pad(cell, widths[i], paint, colour)
		}
		if line := strings.TrimRight(strings.Join(cells, "  "), " "); number > 0 || line != "" {
			to.WriteString(line + "\n")
		}
	}
}

// pad paints a cell and fills it up to the width of its column: numbers on the left, texts on the right.
func (c Column) pad(cell string, width int, paint Paint, colour string) string {
	padding := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if cell != "" {
		cell = paint.with(colour, cell)
	}
	if c.Number {
		return padding + cell
	}
	return cell + padding
}

// texts are the heading and the rows.
func (t *Table) texts() [][]string {
	heading := make([]string, 0, len(t.Columns))
	for _, column := range t.Columns {
		heading = append(heading, column.Name)
	}
	rows := append(make([][]string, 0, len(t.Rows)+1), heading)
	for _, row := range t.Rows {
		texts := make([]string, 0, len(row))
		for _, cell := range row {
			texts = append(texts, cell.Text)
		}
		rows = append(rows, texts)
	}
	return rows
}

// markdown writes the rows as a table of Markdown, as pull requests show it.
func (t *Table) markdown(to *strings.Builder) {
	for number, row := range t.texts() {
		to.WriteString("|")
		for at := range t.Columns {
			cell := ""
			if at < len(row) {
				cell = strings.ReplaceAll(row[at], "|", `\|`)
			}
			to.WriteString(" " + cell + " |")
		}
		to.WriteString("\n")
		if number > 0 {
			continue
		}
		to.WriteString("|")
		for _, column := range t.Columns {
			to.WriteString("---")
			if column.Number {
				to.WriteString(":")
			}
			to.WriteString("|")
		}
		to.WriteString("\n")
	}
}
