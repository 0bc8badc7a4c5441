package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// figure is one number that this project is judged by.
type figure struct {
	name  string
	value float64
	unit  string
	// atLeast or atMost is the bound that is aimed at; 0 for none.
	atLeast, atMost float64
	// never is for what may not happen at all.
	never bool
}

// met says whether the bound is kept: yes or no, or nothing without one.
func (f figure) met() string {
	switch {
	case f.never && f.value > 0:
		return "no"
	case f.atLeast == 0 && f.atMost == 0 && !f.never:
		return ""
	case f.atLeast > 0 && !(f.value >= f.atLeast), f.atMost > 0 && !(f.value <= f.atMost):
		return "no"
	}
	return "yes"
}

func (f figure) bound() string {
	switch {
	case f.never:
		return "none"
	case f.atLeast > 0:
		return "at least " + number(f.atLeast)
	case f.atMost > 0:
		return "at most " + number(f.atMost)
	}
	return ""
}

// number writes a value with three significant digits, and large ones in full.
func number(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "-"
	}
	digits := 0
	if value != 0 {
		digits = max(0, 2-int(math.Floor(math.Log10(math.Abs(value)))))
	}
	return strconv.FormatFloat(value, 'f', digits, 64)
}

// writeFigures writes a table for people, then one line a figure for programs. What was not measured is left out.
func writeFigures(to io.Writer, title string, figures []figure) {
	figures = slices.DeleteFunc(slices.Clone(figures), func(f figure) bool { return math.IsNaN(f.value) })
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(to, "\n%s\n", title)
	_, _ = fmt.Fprintln(table, "figure\tvalue\tunit\tgoal\treached")
	for _, f := range figures {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", f.name, number(f.value), f.unit, f.bound(), f.met())
	}
	_ = table.Flush()
	_, _ = fmt.Fprintln(to)
	for _, f := range figures {
		_, _ = fmt.Fprintf(to, "FIGURE %s %s %s\n", f.name, strconv.FormatFloat(f.value, 'f', 4, 64), f.unit)
	}
}

// Ways to look at a window.
func rate(w window) float64       { return w.Rate }
func clientCost(w window) float64 { return w.Client }
func cores(w window) float64      { return w.Cores }
func memory(w window) float64     { return float64(w.Memory) / 1e6 }

// series is one value of every round.
func (r results) series(race, contender string, value func(window) float64) []float64 {
	windows := r[race][contender]
	values := make([]float64, 0, len(windows))
	for _, w := range windows {
		values = append(values, value(w))
	}
	return values
}

// floorCost is the least that a client may cost, with the number of processors that is the better one over all rounds.
// The better one of each round would be lower than either: the least of two windows is noise's choice.
func (r results) floorCost(race string) []float64 {
	one, two := r.series(race, namePoints1, clientCost), r.series(race, namePoints2, clientCost)
	if median(two) < median(one) {
		return two
	}
	return one
}

// overFloor and overGoYCSB compare our cost of an operation.
func (r results) overFloor(race string) float64 {
	return median(ratios(r.series(race, nameOurs, clientCost), r.floorCost(race)))
}

func (r results) overGoYCSB(race string) float64 {
	return median(ratios(r.series(race, nameOurs, clientCost), r.series(race, nameGoYCSB, clientCost)))
}

// applicationOver compares what an operation of the client Application costs, the worse of reads and of half updates.
func (r results) applicationOver(peer string) float64 {
	of := func(race string) float64 {
		return median(ratios(r.series(race, nameApplication, clientCost), r.series(race, peer, clientCost)))
	}
	return max(of(raceApplicationReads), of(raceApplicationA))
}

// worstMixed is the worst of the mixes with updates.
func worstMixed(of func(race string) float64) float64 {
	return max(of(raceA), of(raceB), of(raceUpdates))
}

// loadgenFigures are the figures of the load generator. recordNanos is the time that recording one latency takes, and
// schedule how late operations are sent, alone and over a bare timer in the same windows.
func (r results) loadgenFigures(recordNanos float64, schedule benchmark) []figure {
	load1, load2 := r.series(raceLoad, nameLoad1, rate), r.series(raceLoad, nameLoad2, rate)
	peers := [][]float64{r.series(raceLoad, namePymongo, rate)}
	if imported := r.series(raceLoad, nameImport, rate); len(imported) > 0 {
		peers = append(peers, imported)
	}
	overFloor1 := median(ratios(load1, r.series(raceLoad, nameFloor1, rate)))
	overFloor2 := median(ratios(load2, r.series(raceLoad, nameFloor2, rate)))
	cost := max(median(r.series(raceLoad, nameLoad1, clientCost)), median(r.series(raceLoad, nameLoad2, clientCost)))
	open := r.series(raceOpenLoop, nameOurs, cores)
	// What the floor would take at the rate that was reached, by its cost of an operation in the same round.
	spent := make([]float64, 0, len(open))
	reached, floor := r.series(raceOpenLoop, nameOurs, rate), r.floorCost(raceRead16)
	for i := range min(len(open), len(floor)) {
		spent = append(spent, open[i]-reached[i]*floor[i]/1e6)
	}
	return []figure{
		{name: "loader_rate_over_floor", value: min(overFloor1, overFloor2), unit: "ratio", atLeast: 0.9},
		{name: "loader_rate_over_floor_1", value: overFloor1, unit: "ratio", atLeast: 0.9},
		{name: "loader_rate_over_floor_2", value: overFloor2, unit: "ratio", atLeast: 0.9},
		{
			name: "loader_rate_over_best_peer", unit: "ratio", atLeast: 2,
			value: median(ratios(best(load1, load2), best(peers...))),
		},
		{name: "loader_client_us_per_doc", value: cost, unit: "us", atMost: 0.5},
		{name: "read16_client_over_floor", value: r.overFloor(raceRead16), unit: "ratio", atMost: 1.15},
		{name: "read64_client_over_floor", value: r.overFloor(raceRead64), unit: "ratio", atMost: 1.15},
		{name: "mixed16_client_over_floor", value: worstMixed(r.overFloor), unit: "ratio", atMost: 1.15},
		{name: "read16_client_over_goycsb", value: r.overGoYCSB(raceRead16), unit: "ratio", atMost: 0.45},
		{name: "read64_client_over_goycsb", value: r.overGoYCSB(raceRead64), unit: "ratio", atMost: 0.45},
		{name: "mixed16_client_over_goycsb", value: worstMixed(r.overGoYCSB), unit: "ratio", atMost: 0.45},
		{
			name: "replay_client_us_per_op", unit: "ratio", atMost: 1.5,
			value: median(ratios(r.series(raceReplay, nameReplay, clientCost), r.series(raceReplay, nameOurs, clientCost))),
		},
		{name: "application_over_handwritten", value: r.applicationOver(nameHandwritten), unit: "ratio", atMost: 1.1},
		{name: "application_over_goycsb", value: r.applicationOver(nameGoYCSB), unit: "ratio", atMost: 1},
		{
			name: "flow_client_us_per_op", unit: "ratio", atMost: 1.3,
			value: median(ratios(r.series(raceFlow, nameFlow, clientCost), r.series(raceFlow, nameMix, clientCost))),
		},
		{
			name: "ycsb_load_client_us_per_doc", unit: "us", atMost: 4,
			value: median(r.series(raceYCSBLoad, nameOurs, clientCost)),
		},
		{name: "ycsb_load_rss_mb", value: median(r.series(raceYCSBLoad, nameOurs, memory)), unit: "MB", atMost: 64},
		{name: "record_ns", value: recordNanos, unit: "ns", atMost: 40},
		{name: "rss_mb_64_threads", value: median(r.series(raceRead64, nameOurs, memory)), unit: "MB", atMost: 40},
		{name: "openloop_10k_cores_over_floor", value: median(spent), unit: "cores", atMost: 0.5},
		{name: "openloop_10k_schedule_error_p99", value: schedule.p99Micros, unit: "us"},
		{name: "openloop_10k_schedule_error_over_timer", value: schedule.overBare, unit: "ratio", atMost: 2},
	}
}

// documentFigure is the time that it takes to make a document like real data: 20 fields, about 1 KB.
func documentFigure(made benchmark) figure {
	return figure{name: "fields_realistic_ns_per_doc", value: made.nanos, unit: "ns", atMost: 3000}
}

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

// median is NaN of no values.
var median = statistics.Median

// spread is the distance between the largest and the smallest value, as a share of the median.
func spread(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return (slices.Max(values) - slices.Min(values)) / median(values)
}

// ratios divides round by round, since what disturbs a machine disturbs the neighbours in a round alike.
func ratios(of, by []float64) []float64 {
	result := make([]float64, 0, len(of))
	for i := range min(len(of), len(by)) {
		result = append(result, of[i]/by[i])
	}
	return result
}

// best takes, round by round, the largest value of several contenders.
func best(series ...[]float64) []float64 {
	chosen := slices.Clone(series[0])
	for _, other := range series[1:] {
		chosen = chosen[:min(len(chosen), len(other))]
		for i := range chosen {
			chosen[i] = max(chosen[i], other[i])
		}
	}
	return chosen
}
