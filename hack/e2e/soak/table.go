package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mongobench/mongobench-operator/internal/present"
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
	names := slices.Sorted(maps.Keys(columns))
	table := present.NewTable([]string{title}, names...)
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		words := []string{row}
		for _, column := range names {
			words = append(words, strconv.Itoa(counts[[2]string{row, column}]))
		}
		table.Add(words...)
	}
	return table.Write(to, false)
}
