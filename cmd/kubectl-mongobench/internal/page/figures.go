package page

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// notKnown stands for a figure that nobody told.
const notKnown = "-"

// unknown is the value of a series that is not known.
const unknown = -1

// Table is one that can be sorted and copied.
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
	// Number says that the column is one of numbers, and Bar that they are percentages to be drawn as bars.
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

func text(words string) Cell { return Cell{Text: words} }

func valued(words string, value float64, unit string) Cell {
	return Cell{Text: words, Value: &value, Unit: unit}
}

func counted(number int64) Cell {
	return valued(output.Thousands(number), float64(number), "")
}

func timed(micros int64) Cell {
	return valued(reportv1.FormatMicros(micros), float64(micros), "µs")
}

func sized(number int64) Cell {
	return valued(output.Size(number), float64(number), "bytes")
}

func sizedRate(number int64) Cell {
	return valued(output.Size(number)+"/s", float64(number), "bytes/s")
}

func lasted(millis int64) Cell {
	return valued(output.Seconds(millis), float64(millis), "ms")
}

// shared is a percentage.
func shared(percent float64) Cell {
	return valued(fmt.Sprintf("%.1f %%", percent), percent, "")
}

// known is the cell of a figure that a server may not tell.
func known(number int64, cell func(int64) Cell) Cell {
	if number == unknown {
		return text(notKnown)
	}
	return cell(number)
}

// against is by how much a figure differs from that of the first run, in percent.
func against(first, number int64) Cell {
	if first == 0 {
		return text(notKnown)
	}
	percent := 100 * float64(number-first) / float64(first)
	return valued(fmt.Sprintf("%+.1f %%", percent), percent, "")
}

func columns(names ...string) []Column {
	made := make([]Column, 0, len(names))
	for _, name := range names {
		made = append(made, Column{Name: name})
	}
	return made
}

func numbers(names ...string) []Column {
	made := columns(names...)
	for i := range made {
		made[i].Number = true
	}
	return made
}

// Numbers are values of a series. What is not a number is not known, and null in JSON.
type Numbers []float64

// MarshalJSON writes each number with as few digits as keep it.
func (n Numbers) MarshalJSON() ([]byte, error) {
	encoded := make([]byte, 0, 8*len(n)+2)
	encoded = append(encoded, '[')
	for i, number := range n {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		if math.IsNaN(number) || math.IsInf(number, 0) {
			encoded = append(encoded, "null"...)
			continue
		}
		encoded = strconv.AppendFloat(encoded, number, 'f', -1, 64)
	}
	return append(encoded, ']'), nil
}

// rounded leaves three decimals, which is a millisecond of a second and a thousandth of a core.
func rounded(number float64) float64 {
	return math.Round(number*1000) / 1000
}
