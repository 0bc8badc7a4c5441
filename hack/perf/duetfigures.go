package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/duets"
)

const (
	// longestTrial is how long a comparison may take, and soon a time that is less; both are what power is told for.
	longestTrial, soon = 15 * time.Minute, 10 * time.Minute
	// overlappingEvery is how many groups after one another trials begin that overlap.
	overlappingEvery = 5
	// resampledBlock is of how many groups the blocks are that trials are resampled from, some 100 s: the throughput of
	// windows of 1 s is correlated for a few seconds. resampledTrials are as many as tell a share of 5 % to two in a
	// hundred, and resampledSeed has them be the same each time.
	resampledBlock, resampledTrials, resampledSeed = 20, 400, 1
	// oftenPercent of the trials find a loss where it counts as found.
	oftenPercent = 90
	// fewestInterleaved is of how many comparisons of a suite a share is taken at least.
	fewestInterleaved = 3
	// falseBound is how many false alarms there may be, in percent, and fewestFalse of how many comparisons that is said.
	falseBound, fewestFalse = 5, 20
)

// duetsSeen are the recordings of each scene.
type duetsSeen struct {
	all []*replayed
	// trials is how many are resampled.
	trials int
}

// replayed are the recordings of a scene and their trials.
type replayed struct {
	duets.Series

	scene  string
	window time.Duration
	// limit is how long a trial may take, and judged those that are apart; overlapping are more, and share windows.
	limit               time.Duration
	judged, overlapping []duets.Trial
	// resampled are of blocks of the recordings.
	resampled []duets.Trial
}

func (s *duetsSeen) keep(scene string, window time.Duration, series duets.Series) {
	s.all = append(s.all, &replayed{Series: series, scene: scene, window: window})
}

// of are the recordings of a scene with windows of a length; nil without.
func (s *duetsSeen) of(scene string, window time.Duration) *replayed {
	for _, one := range s.all {
		if one.scene == scene && one.window == window {
			return one
		}
	}
	return nil
}

// replay makes the trials. Where all recordings are short, none may be longer than half of the longest, so that there
// are several.
func (r *replayed) replay(trials int) (err error) {
	r.limit = min(longestTrial, r.Longest()/2)
	var failed error
	r.judged, err = r.Apart(r.limit)
	r.overlapping, failed = r.Overlapping(r.limit, overlappingEvery)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	r.resampled, err = r.Resampled(longestTrial, resampledBlock, trials, resampledSeed)
	return err
}

// lines are what is compared.
func (r *replayed) lines() []planv1.Line { return r.Series[0].Lines }

// line is the number of the first line of a metric, -1 without.
func (r *replayed) line(metric benchv1alpha1.Metric) int {
	for number, line := range r.lines() {
		if line.Metric == metric {
			return number
		}
	}
	return -1
}

// power is the share of trials that called a line Regressed within a time; NaN where trials may not take that long.
func (r *replayed) power(trials []duets.Trial, line int, within time.Duration) float64 {
	if r.limit < within {
		return math.NaN()
	}
	return duets.ShareRegressed(trials, line, within)
}

// write writes what the recordings were, what the trials found, and the figures.
func (s *duetsSeen) write(out io.Writer) error {
	for _, one := range s.all {
		if one.window != shortWindow {
			continue
		}
		if err := one.replay(s.trials); err != nil {
			return err
		}
	}
	if err := s.writeRecordings(out); err != nil {
		return err
	}
	s.writeTrials(out)
	figures, err := s.foundFigures(out)
	if err != nil {
		return err
	}
	figures = append(s.falseFigures(), figures...)
	writeFigures(out, "Duets: comparisons that are apart; a share is of as many as there are", figures)
	return nil
}

func (s *duetsSeen) writeRecordings(out io.Writer) error {
	_, _ = fmt.Fprintln(out, "\nRecordings")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table,
		"scene\twindow\tbegun\tminutes\tbefore\tgroups\tset aside\tline\tbaseline to candidate\tits tenths")
	for _, one := range s.all {
		for _, recording := range one.Series {
			if err := one.writeRecording(table, recording); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

// writeRecording writes a row for each line.
func (r *replayed) writeRecording(table io.Writer, recording *duets.Recording) error {
	for number := range r.lines() {
		change, known, err := recording.Change(number)
		if err != nil {
			return err
		}
		told, tenths := "-", "-"
		if known {
			told = fmt.Sprintf("%+.1f %%", change.Whole)
			tenths = fmt.Sprintf("%+.1f to %+.1f %%", change.Least, change.Most)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%.1f\t%.1f\t%d\t%d\t%s\t%s\t%s\n", r.scene, r.window,
			recording.Begun.UTC().Format("2006-01-02 15:04"), recording.Length().Minutes(), recording.Preparation.Minutes(),
			len(recording.Groups), recording.Disturbed(), r.lineName(number), told, tenths)
	}
	return nil
}

func (r *replayed) lineName(number int) string {
	line := r.lines()[number]
	if line.Operation == "" {
		return string(line.Metric)
	}
	return string(line.Metric) + " " + line.Operation
}

func (s *duetsSeen) writeTrials(out io.Writer) {
	_, _ = fmt.Fprintf(out, "\nWhat comparisons came to that begin at other places of a recording, apart and (in "+
		"brackets) every %d groups, overlapping;\nand of %d that are put together anew of blocks of %d groups\n",
		overlappingEvery, s.trials, resampledBlock)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "scene\ttrials\tup to\tline\tRegressed\tImproved\tUnchanged\tNotDetected\tInconclusive\t"+
		"minutes to Regressed: fastest, median, nine of ten, slowest")
	for _, one := range s.all {
		for number := range one.lines() {
			if one.window != shortWindow {
				continue
			}
			verdictRow{
				scene: one.scene, trials: fmt.Sprintf("%d (%d)", len(one.judged), len(one.overlapping)), limit: one.limit,
				line: one.lineName(number), times: duets.TimesOf(one.judged, number),
				count: func(verdict benchv1alpha1.Verdict) string {
					return fmt.Sprintf("%d (%d)", count(one.judged, number, verdict), count(one.overlapping, number, verdict))
				},
			}.write(table)
			verdictRow{
				scene: one.scene + ", resampled", trials: strconv.Itoa(len(one.resampled)), limit: longestTrial,
				line: one.lineName(number), times: duets.TimesOf(one.resampled, number),
				count: func(verdict benchv1alpha1.Verdict) string { return strconv.Itoa(count(one.resampled, number, verdict)) },
			}.write(table)
		}
	}
	_ = table.Flush()
}

// verdictRow is how many trials came to which verdict on a line, and when.
type verdictRow struct {
	scene, trials, line string
	limit               time.Duration
	count               func(benchv1alpha1.Verdict) string
	times               duets.Times
}

func (r verdictRow) write(table io.Writer) {
	_, _ = fmt.Fprintf(table, "%s\t%s\t%.1f min\t%s", r.scene, r.trials, r.limit.Minutes(), r.line)
	for _, verdict := range []benchv1alpha1.Verdict{
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictUnchanged,
		benchv1alpha1.VerdictNotDetected, benchv1alpha1.VerdictInconclusive,
	} {
		_, _ = fmt.Fprintf(table, "\t%s", r.count(verdict))
	}
	_, _ = fmt.Fprintf(table, "\t%s, %s, %s, %s\n", number1(r.times.Fastest), number1(r.times.Median),
		number1(r.times.NineOfTen), number1(r.times.Slowest))
}

// number1 is a time in minutes, or that it did not come.
func number1(minutes float64) string {
	if math.IsNaN(minutes) || math.IsInf(minutes, 0) {
		return "-"
	}
	return fmt.Sprintf("%.1f", minutes)
}

func count(trials []duets.Trial, line int, verdict benchv1alpha1.Verdict) (found int) {
	for _, one := range trials {
		if one.Verdicts[line] == verdict {
			found++
		}
	}
	return found
}

// falseFigures are how often A compared with A was called a change.
func (s *duetsSeen) falseFigures() (figures []figure) {
	for _, one := range []struct{ scene, name string }{
		{sceneQuiet, "duet_false"}, {sceneNeighbour, "duet_false_beside_neighbour"},
	} {
		if r := s.of(one.scene, shortWindow); r != nil {
			bound := 0.0
			if len(r.judged) >= fewestFalse {
				bound = falseBound
			}
			figures = append(figures,
				figure{name: one.name + "_percent", value: duets.ShareChanged(r.judged), unit: "percent", atMost: bound},
				figure{name: one.name + "_trials", value: float64(len(r.judged)), unit: "comparisons"},
				figure{name: one.name + "_resampled_percent", value: duets.ShareChanged(r.resampled), unit: "percent"})
		}
	}
	return figures
}

// foundFigures are how soon a loss was found, and how much sooner than by a suite's default order.
func (s *duetsSeen) foundFigures(out io.Writer) (figures []figure, err error) {
	for _, one := range []struct {
		scene, minutes, power string
		metric                benchv1alpha1.Metric
		percent               float64
	}{
		{sceneThroughput, "minutes_to_5_percent_throughput", "duet", benchv1alpha1.MetricOperationsPerSecond, 5},
		{sceneP99, "minutes_to_10_percent_p99", "duet_p99", benchv1alpha1.MetricP99Micros, heldPercent},
	} {
		r := s.of(one.scene, shortWindow)
		if r == nil {
			continue
		}
		line := r.line(one.metric)
		minutes, resampled := duets.TimesOf(r.judged, line).NineOfTen, duets.TimesOf(r.resampled, line)
		figures = append(figures,
			figure{name: one.minutes, value: finite(minutes), unit: "minutes"},
			figure{name: one.power + "_power_percent", value: r.power(r.judged, line, longestTrial), unit: "percent"},
			figure{name: one.power + "_power_10_minutes_percent", value: r.power(r.judged, line, soon), unit: "percent"},
			figure{name: one.power + "_trials", value: float64(len(r.judged)), unit: "comparisons"},
			figure{name: one.minutes + "_resampled", value: finite(resampled.NineOfTen), unit: "minutes"},
			figure{
				name: one.power + "_power_resampled_percent", unit: "percent",
				value: duets.ShareRegressed(r.resampled, line, longestTrial),
			})
		if long := s.of(one.scene, longWindow); long != nil {
			interleaved, name, err := writeInterleaved(out, long, line, one.percent)
			if err != nil {
				return nil, err
			}
			figures = append(figures, figure{name: one.power + name, value: interleaved / finite(minutes), unit: "ratio"})
		}
	}
	return figures, nil
}

// finite is NaN for what never came.
func finite(value float64) float64 {
	if math.IsInf(value, 0) {
		return math.NaN()
	}
	return value
}

// writeInterleaved says what windows of half a minute come to, as if they were the runs of a suite that loads each
// variant once, and returns the minutes until nine of ten comparisons find the loss, NaN if that is not known, and the
// end of the name of their ratio to a duet's: whether it was seen, or is estimated from how far pairs differ, for want
// of recordings that are long enough.
func writeInterleaved(
	out io.Writer, long *replayed, line int, percent float64,
) (minutes float64, name string, err error) {
	const seen, estimated = "_gain_over_interleaved", "_gain_over_interleaved_estimated"
	found, enough, err := long.Interleave(line, oftenPercent, fewestInterleaved)
	if err != nil {
		return 0, "", err
	}
	_, _ = fmt.Fprintf(out, "\n%s of %s, in the order Interleaved with runs of %s: ", long.lineName(line), long.scene,
		long.window)
	if enough {
		_, _ = fmt.Fprintf(out, "%d repetitions (%.1f minutes) found it in %d of %d\n", found.Repetitions, found.Minutes,
			found.Regressed, found.Trials)
		return found.Minutes, seen, nil
	}
	if found.Trials > 0 {
		_, _ = fmt.Fprintf(out, "not found in %d %% of comparisons by up to %d repetitions (%.1f minutes), of which %d of "+
			"%d found it; of more there are fewer than %d. ", oftenPercent, found.Repetitions, found.Minutes, found.Regressed,
			found.Trials, fewestInterleaved)
	}
	estimate, known, err := long.Estimate(line, percent, oftenPercent)
	if err != nil {
		return 0, "", err
	}
	if !known {
		_, _ = fmt.Fprintln(out, "The recordings are too short to say how many repetitions it takes")
		return math.NaN(), estimated, nil
	}
	_, _ = fmt.Fprintf(out, "By how far pairs differ, about %d repetitions would (%.1f minutes)\n", estimate.Repetitions,
		estimate.Minutes)
	return estimate.Minutes, estimated, nil
}
