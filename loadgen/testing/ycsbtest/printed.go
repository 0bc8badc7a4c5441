package ycsbtest

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lineBytes is more than a line of a record with ten fields of 100 bytes.
const lineBytes = 1 << 16

// Printed is what YCSB's BasicDB printed of one table, the property basicdb.verbose being set.
type Printed struct {
	// Loaded are the keys of its inserts, in their order, and Values the lengths of the fields of each, by the fields'
	// names.
	Loaded []string
	Values []map[string]int

	*Asked
}

// Read reads what BasicDB prints. keys are those of the records that were loaded before; of a load there are none.
//
// A line is an operation, the table, the key, of a scan the number of records, and in brackets the fields: their names,
// or with the values that are written.
func Read(from io.Reader, keys []string) (*Printed, error) {
	p := &Printed{Asked: newAsked(keys)}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, lineBytes)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 4)
		if len(words) < 4 || words[1] != "usertable" {
			continue // What YCSB says of itself: its settings before, and its figures after.
		}
		if err := p.line(words[0], words[2], words[3]); err != nil {
			return nil, fmt.Errorf("%.200q: %w", lines.Text(), err)
		}
	}
	return p, lines.Err()
}

func (p *Printed) line(operation, key, rest string) error {
	switch operation {
	case "READ":
		p.ask(Reads, key)
	case "UPDATE":
		p.ask(Updates, key)
		return p.update(valuesOf(rest))
	case "INSERT":
		p.Operations[Inserts]++
		p.Loaded = append(p.Loaded, key)
		p.Values = append(p.Values, valuesOf(rest))
	case "SCAN":
		p.ask(Scans, key)
		first, _, _ := strings.Cut(rest, " ")
		length, err := strconv.Atoi(first)
		if err != nil || length >= lengths {
			return fmt.Errorf("a scan of %q records", first)
		}
		p.Scans[length]++
	default:
		return fmt.Errorf("an operation %q", operation)
	}
	return nil
}

// update counts the value of the one field that an update writes.
func (p *Printed) update(values map[string]int) error {
	for name, length := range values {
		if len(values) == 1 && length < lengths {
			p.write(name[len("field")], length)
			return nil
		}
	}
	return fmt.Errorf("an update of the fields %v, want one field", values)
}

// field begins each field with its value. A value is of printable characters, spaces among them; that they make up the
// name of another field happens never.
var field = regexp.MustCompile(` field[0-9]=`)

// valuesOf are the lengths of the values in brackets, by the names of their fields.
func valuesOf(brackets string) map[string]int {
	values := map[string]int{}
	end := len(brackets) - len(" ]")
	begins := field.FindAllStringIndex(brackets, -1)
	for _, begin := range slices.Backward(begins) {
		values[brackets[begin[0]+1:begin[1]-1]] = end - begin[1]
		end = begin[0]
	}
	return values
}
