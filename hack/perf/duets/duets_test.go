package duets_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/duets"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// made is a recording of groups whose windows of the baseline have about 1,000 replies, which differ by the noise, and
// those of the candidate as many times the factor.
func made(groups int, window time.Duration, factor, noise float64) *duets.Recording {
	return recorded(groups, window, factor, noise, false)
}

// recorded is made, perhaps with the latency that sixteen threads then see, and its line.
func recorded(groups int, window time.Duration, factor, noise float64, latency bool) *duets.Recording {
	random := rand.New(rand.NewPCG(1, uint64(groups)))
	r := &duets.Recording{
		Name: "made", Operations: []string{"read"}, Preparation: 30 * time.Second,
		Lines: []planv1.Line{
			{Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: 5, ConfidencePercent: 95},
		},
	}
	for number := range groups {
		group := duet.Group{At: time.Duration(number+1) * 4 * window}
		for side, times := range []float64{duet.Baseline: 1, duet.Candidate: factor} {
			for range 2 {
				replies := int64(1000 * times * math.Exp(noise*random.NormFloat64()))
				of := duet.Operation{Replies: replies}
				if latency {
					of.Latency = reportv1.NewHistogram()
					_ = of.Latency.RecordValues(int64(16e6/float64(replies)), replies)
				}
				group.Windows[side] = append(group.Windows[side], duet.Window{
					Length: window, Operations: []duet.Operation{of},
				})
			}
		}
		if err := r.Add(group); err != nil {
			panic(err)
		}
	}
	if latency {
		r.Lines = append(r.Lines, planv1.Line{
			Metric: benchv1alpha1.MetricP50Micros, Operation: "read", LowerIsBetter: true, MinEffectPercent: 5,
			ConfidencePercent: 95,
		})
	}
	return r
}

func TestTrialsThatAreApartShareNoGroup(t *testing.T) {
	r := made(1500, time.Second, 1, 0.05)
	const limit = 15 * time.Minute
	apart, err := duets.Series{r}.Apart(limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(apart) < 5 {
		t.Fatalf("%d trials of %s, want several", len(apart), r.Length())
	}
	checkApart(t, r, apart, limit)
	if got := duets.ShareChanged(apart); got != 0 {
		t.Errorf("%g %% changed", got)
	}
	overlapping, err := duets.Series{r}.Overlapping(limit, 50)
	if err != nil {
		t.Fatal(err)
	}
	// 1,275 groups are 85 of the 100 minutes; trials begin at 0, 50, …, 1250.
	if len(overlapping) != 26 || overlapping[1].First != 50 {
		t.Errorf("%d trials overlap, want 26", len(overlapping))
	}
}

// checkApart wants trials of servers that are alike, each of which begins where the one before ended.
func checkApart(t *testing.T, r *duets.Recording, apart []duets.Trial, limit time.Duration) {
	t.Helper()
	next := 0
	for _, one := range apart {
		if one.First != next || one.Groups < 1 || one.Took > limit {
			t.Errorf("a trial of %d groups from %d on took %s; the one before ended before %d", one.Groups, one.First,
				one.Took, next)
		}
		next = one.First + one.Groups
		if want := []benchv1alpha1.Verdict{benchv1alpha1.VerdictUnchanged}; !slices.Equal(one.Verdicts, want) {
			t.Errorf("servers that are alike are %v", one.Verdicts)
		}
		if r.Length()-time.Duration(one.First)*4*time.Second < limit {
			t.Errorf("the trial from %d on had less time than the limit: it would count only if it ended early", one.First)
		}
	}
}

func TestALossIsFoundInEveryTrial(t *testing.T) {
	r := recorded(400, time.Second, 0.9, 0.05, true)
	apart, err := duets.Series{r}.Apart(15 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for line := range r.Lines {
		times := duets.TimesOf(apart, line)
		inOrder := slices.IsSorted([]float64{0.5 + 8*4.0/60, times.Fastest, times.Median, times.NineOfTen, times.Slowest, 15})
		if !inOrder {
			t.Errorf("line %d was found after %+v minutes, the half minute of the preparation included", line, times)
		}
		if got := duets.ShareRegressed(apart, line, 15*time.Minute); got != 100 {
			t.Errorf("line %d was found in %g %% of the trials", line, got)
		}
		if got := duets.ShareRegressed(apart, line, 30*time.Second); got != 0 {
			t.Errorf("line %d was found in %g %% of the trials before they began", line, got)
		}
	}
	change, known, err := r.Change(0)
	if err != nil || !known || math.Abs(change.Whole+10) > 1 || change.Least > change.Whole || change.Most < change.Whole {
		t.Errorf("the real loss is %+v, want 10 %%", change)
	}
}

func TestWhatIsNotFoundIsNotATime(t *testing.T) {
	r := made(200, time.Second, 1, 0.05)
	apart, err := duets.Series{r}.Apart(5 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if times := duets.TimesOf(apart, 0); !math.IsInf(times.NineOfTen, 1) {
		t.Errorf("a loss that is none was found after %+v", times)
	}
	if times := duets.TimesOf(nil, 0); !math.IsNaN(times.NineOfTen) {
		t.Errorf("without trials it is %+v", times)
	}
	if got := duets.ShareChanged(nil); !math.IsNaN(got) {
		t.Errorf("without trials %g %% changed", got)
	}
	if none, err := (duets.Series{r}).Apart(time.Hour); err != nil || len(none) > 0 {
		t.Errorf("%d trials and %v, want none that is longer than the recording", len(none), err)
	}
}

// TestDisturbedGroupsAreLeftOut: they take time, and say nothing.
func TestDisturbedGroupsAreLeftOut(t *testing.T) {
	r := made(400, time.Second, 1, 0.05)
	broken := made(400, time.Second, 0.5, 0.05)
	for i := 0; i < len(r.Groups); i += 2 {
		r.Groups[i].Windows, r.Groups[i].Disturbed = broken.Groups[i].Windows, "used 40 % of a processor"
	}
	apart, err := duets.Series{r}.Apart(13 * time.Minute)
	if err != nil || len(apart) == 0 {
		t.Fatalf("%d trials, %v", len(apart), err)
	}
	if got := duets.ShareChanged(apart); got != 0 {
		t.Errorf("%g %% changed by what was set aside", got)
	}
	if change, _, err := r.Change(0); err != nil || math.Abs(change.Whole) > 2 || r.Disturbed() != 200 {
		t.Errorf("%d groups are set aside, and the change is %+v", r.Disturbed(), change)
	}
}

func TestInterleavedFindsALoss(t *testing.T) {
	r := made(60, 30*time.Second, 0.9, 0.02)
	found, enough, err := duets.Series{r}.Interleave(0, 90, 3)
	if err != nil || !enough || found.Repetitions < 6 || found.Trials < 3 {
		t.Fatalf("got %+v, %v", found, enough)
	}
	// A repetition is one window of each side.
	if want := 0.5 + float64(found.Repetitions); math.Abs(found.Minutes-want) > 0.01 {
		t.Errorf("%d repetitions took %g minutes, want %g", found.Repetitions, found.Minutes, want)
	}
}

func TestInterleavedFindsNoLossWhereThereIsNone(t *testing.T) {
	found, enough, err := duets.Series{made(60, 30*time.Second, 1, 0.02)}.Interleave(0, 90, 3)
	if err != nil || enough || found.Trials < 3 || found.Regressed > 1 {
		t.Errorf("a loss that is none: got %+v, %v, %v", found, enough, err)
	}
	found, enough, err = duets.Series{made(2, 30*time.Second, 0.5, 0.02)}.Interleave(0, 90, 1)
	if err != nil || enough || found.Trials != 0 {
		t.Errorf("two groups have too few pairs: got %+v, %v", found, err)
	}
}

func TestARecordingIsReadAsItWasWritten(t *testing.T) {
	r := recorded(5, time.Second, 0.9, 0.05, true)
	r.Groups[3].Disturbed = "used 40 % of a processor"
	var file bytes.Buffer
	if err := r.Write(&file); err != nil {
		t.Fatal(err)
	}
	got, err := duets.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	group, err := got.Group(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, windows := range group.Windows {
		for _, window := range windows {
			if of := window.Operations[0]; of.Replies == 0 || of.Latency.TotalCount() != of.Replies {
				t.Errorf("%d replies have %d latencies", of.Replies, of.Latency.TotalCount())
			}
		}
	}
	if _, err := duets.Read(bytes.NewReader(nil)); err == nil {
		t.Error("an empty file is no recording")
	}
}

// TestRecordingsOfOneMachineAddUp: those of another, and those that compared other lines, are no part of it.
func TestRecordingsOfOneMachineAddUp(t *testing.T) {
	folder, begun := t.TempDir(), time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)
	keep := func(machine string, hours time.Duration, latency bool) {
		r := recorded(30, time.Second, 0.9, 0.05, latency)
		r.Machine, r.Begun = machine, begun.Add(hours*time.Hour)
		if err := duets.Keep(folder, r); err != nil {
			t.Fatal(err)
		}
	}
	keep("ours", 2, true)
	keep("ours", 1, true)
	keep("ours", 0, false)
	keep("theirs", 3, false)
	found, err := duets.Kept(folder, "ours")
	if err != nil {
		t.Fatal(err)
	}
	series := found["made"]
	if len(found) != 1 || len(series) != 2 || !series[0].Begun.Before(series[1].Begun) {
		t.Fatalf("found %d recordings of %d names", len(series), len(found))
	}
	one, err := duets.Series{series[0]}.Overlapping(time.Minute, 5)
	if err != nil {
		t.Fatal(err)
	}
	both, err := series.Overlapping(time.Minute, 5)
	if err != nil || len(one) == 0 || len(both) != 2*len(one) {
		t.Errorf("two recordings have %d trials and one has %d, %v", len(both), len(one), err)
	}
	if none, err := duets.Kept(filepath.Join(folder, "none"), "ours"); err != nil || len(none) != 0 {
		t.Errorf("a folder that is not there has %d, %v", len(none), err)
	}
}

func TestResampledTrialsSayWhatTheRecordingDoes(t *testing.T) {
	const limit, block, trials = 10 * time.Minute, 20, 50
	for factor, regressed := range map[float64]float64{0.9: 100, 1: 0} {
		series := duets.Series{made(200, time.Second, factor, 0.05), made(10, time.Second, 0.5, 0.05)}
		found, err := series.Resampled(limit, block, trials, 1)
		if err != nil || len(found) != trials {
			t.Fatal(len(found), err)
		}
		// The other recording is shorter than a block, and would be a loss of a half.
		if got := duets.ShareRegressed(found, 0, limit); got != regressed {
			t.Errorf("%g %% of the trials are regressed with a factor of %g, want %g", got, factor, regressed)
		}
		again, err := series.Resampled(limit, block, trials, 1)
		if diff := cmp.Diff(found, again); err != nil || diff != "" {
			t.Errorf("the same again (-first +second):\n%s", diff)
		}
		if duets.TimesOf(found, 0).Fastest == duets.TimesOf(found, 0).Slowest && factor < 1 {
			t.Error("all trials are the same")
		}
	}
	short := duets.Series{made(10, time.Second, 1, 0.05)}
	if none, err := short.Resampled(limit, block, trials, 1); err != nil || none != nil {
		t.Errorf("what is shorter than a block has %d trials, %v", len(none), err)
	}
}

func TestRepetitionsAreEstimated(t *testing.T) {
	r := made(60, 30*time.Second, 0.95, 0.05)
	found, known, err := duets.Series{r}.Estimate(0, 5, 90)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	// Noether's formula for 5 % of variation says 22.
	if found.Repetitions < 18 || found.Repetitions > 27 || math.Abs(found.Minutes-0.5-float64(found.Repetitions)) > 0.01 {
		t.Errorf("got %+v", found)
	}
	if found, known, err := (duets.Series{made(5, 30*time.Second, 0.95, 0.05)}).Estimate(0, 5, 90); err != nil || known {
		t.Errorf("ten pairs say %+v, %v", found, err)
	}
}

func TestADelayRaisesThePercentile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	before, after := reportv1.NewHistogram(), reportv1.NewHistogram()
	values := make([]int64, 200_000)
	for i := range values {
		values[i] = int64(1000 * math.Exp(0.5*random.NormFloat64()))
		_ = before.RecordValue(values[i])
	}
	delay := duets.Delay(before, 0.99, 0.1, 10)
	if delay <= 0 {
		t.Fatalf("the delay is %s", delay)
	}
	for _, value := range values {
		if random.Float64() < 0.1 {
			value += delay.Microseconds()
		}
		_ = after.RecordValue(value)
	}
	rise := 100 * (float64(after.ValueAtQuantile(99))/float64(before.ValueAtQuantile(99)) - 1)
	if math.Abs(rise-10) > 1 {
		t.Errorf("a part that is late by %s raises the p99 by %.1f %%, want 10", delay, rise)
	}
}
