package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeRaces writes one table a race: what each contender did, by medians over the rounds.
func writeRaces(to io.Writer, races []race, seen results) {
	for _, race := range races {
		_, _ = fmt.Fprintf(to, "\n%s\n", race.title)
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
		_, _ = fmt.Fprintln(table,
			"client\tper second\tclient µs/op\tspread\tits own figure\tserver µs/op\tclient cores\tmemory MB\t")
		for _, contender := range race.contenders {
			writeContender(table, contender.name, func(value func(window) float64) []float64 {
				return seen.series(race.name, contender.name, value)
			})
		}
		_ = table.Flush()
	}
}

func writeContender(table io.Writer, name string, series func(value func(window) float64) []float64) {
	own := median(series(func(w window) float64 { return w.Own }))
	said := "-"
	if own > 0 {
		said = number(own)
	}
	_, _ = fmt.Fprintf(table, "%s\t%.0f\t%s\t%.0f%%\t%s\t%s\t%s\t%s\t\n",
		name, median(series(rate)), number(median(series(clientCost))), 100*spread(series(clientCost)), said,
		number(median(series(func(w window) float64 { return w.Server }))), number(median(series(cores))),
		number(median(series(memory))))
}
