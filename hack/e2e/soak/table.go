package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"
)

// runName is the name of every run, and of its target.
const runName = "bench"

// Outcomes count how the runs ended.
type Outcomes struct {
	lock sync.Mutex
	// counts by the kind of the run and the reason that it ended for.
	counts map[[2]string]int
	// kills by the part, and by what became of the run.
	kills map[[2]string]int
	wrong int
	runs  int
}

func (o *Outcomes) add(kind, reason string, kills []Kill, wrong bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.runs++
	o.counts[[2]string{kind, reason}]++
	for _, kill := range kills {
		o.kills[[2]string{string(kill.Component), reason}]++
	}
	if wrong {
		o.wrong++
	}
}

// write prints how many runs of each kind ended how, and how runs ended whose pods were deleted.
func (o *Outcomes) write(to io.Writer) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if err := writeCounts(to, "kind of run", o.counts); err != nil {
		return err
	}
	if err := writeCounts(to, "deleted", o.kills); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "%d runs, %d with an end that is not the truth\n", o.runs, o.wrong)
	return err
}

// writeCounts prints a table with a row for each first and a column for each second key.
func writeCounts(to io.Writer, title string, counts map[[2]string]int) error {
	rows, columns := map[string]bool{}, map[string]bool{}
	for key := range counts {
		rows[key[0]], columns[key[1]] = true, true
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	// What cannot be written shows when the table is flushed.
	cell := func(value any) { _, _ = fmt.Fprintf(table, "%v\t", value) }
	cell(title)
	names := slices.Sorted(maps.Keys(columns))
	for _, column := range names {
		cell(column)
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		_, _ = fmt.Fprintln(table)
		cell(row)
		for _, column := range names {
			cell(counts[[2]string{row, column}])
		}
	}
	_, _ = fmt.Fprintln(table)
	return table.Flush()
}
