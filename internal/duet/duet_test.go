package duet_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// operations of the mix of all tests.
var operations = []string{"read", "write"}

func rate(operation string) planv1.Line {
	return planv1.Line{
		Metric: benchv1alpha1.MetricOperationsPerSecond, Operation: operation, MinEffectPercent: 5, ConfidencePercent: 95,
	}
}

func latencyOfRead(metric benchv1alpha1.Metric) planv1.Line {
	return planv1.Line{
		Metric: metric, Operation: "read", LowerIsBetter: true, MinEffectPercent: 5, ConfidencePercent: 95,
	}
}

func judge(t *testing.T, lines ...planv1.Line) *duet.Judge {
	t.Helper()
	made, err := duet.NewJudge(operations, lines, len(lines))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// windows makes up groups. Of each side it is told how much slower it is, and how many operations a window has.
type windows struct {
	random *rand.Rand
	// slower multiplies times, and divides the number of replies.
	slower [2]float64
	// replies of a window, of each operation.
	replies float64
	// noise is the share by which windows vary besides, 0.02 at least.
	noise  float64
	number int
}

func (w *windows) group(t *testing.T) duet.Group {
	t.Helper()
	w.number++
	group := duet.Group{At: time.Duration(4*w.number) * time.Second}
	// What a machine does to both sides is far more than what is looked for.
	machine := 1 + 0.5*w.random.Float64()
	for side := range group.Windows {
		for range 2 {
			slower := w.slower[side] * machine * math.Exp(max(w.noise, 0.02)*w.random.NormFloat64())
			window := duet.Window{Length: time.Second}
			for range operations {
				one := duet.Operation{Replies: int64(math.Round(w.replies / slower)), Latency: reportv1.NewHistogram()}
				for range one.Replies {
					micros := int64(1000 * slower * math.Exp(0.2*w.random.NormFloat64()))
					if err := one.Latency.RecordValue(micros); err != nil {
						t.Fatal(err)
					}
				}
				window.Operations = append(window.Operations, one)
			}
			group.Windows[side] = append(group.Windows[side], window)
		}
	}
	return group
}

// told adds groups until all is decided, or for as long as there is time.
func (w *windows) told(t *testing.T, judge *duet.Judge, groups int) []reportv1.DuetLine {
	t.Helper()
	for range groups {
		if judge.Decided() {
			break
		}
		judge.Add(w.group(t))
	}
	return judge.Lines()
}

func TestVerdicts(t *testing.T) {
	for name, tc := range map[string]struct {
		baseline, candidate float64
		groups              int
		noise               float64
		verdict             benchv1alpha1.Verdict
	}{
		"as fast":             {1, 1, 400, 0.02, benchv1alpha1.VerdictUnchanged},
		"slower by a fifth":   {1, 1.2, 400, 0.02, benchv1alpha1.VerdictRegressed},
		"faster by a fifth":   {1.2, 1, 400, 0.02, benchv1alpha1.VerdictImproved},
		"no time to tell":     {1, 1.01, 30, 0.3, benchv1alpha1.VerdictNotDetected},
		"no time for a guess": {1, 1.2, 1, 0.02, benchv1alpha1.VerdictInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			w := &windows{
				random: rand.New(rand.NewPCG(1, 2)), slower: [2]float64{tc.baseline, tc.candidate}, replies: 300,
				noise: tc.noise,
			}
			judge := judge(t, rate("read"), latencyOfRead(benchv1alpha1.MetricP50Micros))
			lines := w.told(t, judge, tc.groups)
			if lines[0].Verdict != tc.verdict || lines[1].Verdict != tc.verdict {
				t.Errorf("got %s and %s, want %s", lines[0].Verdict, lines[1].Verdict, tc.verdict)
			}
			decided := tc.groups > 100
			if judge.Decided() != decided {
				t.Errorf("decided is %t after %d groups", judge.Decided(), w.number)
			}
			checkDecided(t, lines, decided, int64(4000*w.number))
		})
	}
}

// checkDecided holds that lines were decided, or not, within a time.
func checkDecided(t *testing.T, lines []reportv1.DuetLine, decided bool, within int64) {
	t.Helper()
	for _, line := range lines {
		if (line.DecidedMillis > 0) != decided || line.DecidedMillis > within {
			t.Errorf("%s was decided after %d ms of %d", line.Metric, line.DecidedMillis, within)
		}
		checkCourse(t, line)
	}
}

// checkCourse holds that a course ends with what the line came to, and rises in time.
func checkCourse(t *testing.T, line reportv1.DuetLine) {
	t.Helper()
	if (len(line.Course) > 0) != (line.EffectBasisPoints != nil) {
		t.Fatalf("%s has %d points, and the effect %v", line.Metric, len(line.Course), line.EffectBasisPoints)
	}
	for i, point := range line.Course {
		if i > 0 && point.AtMillis <= line.Course[i-1].AtMillis {
			t.Errorf("point %d is at %d ms, after one at %d", i, point.AtMillis, line.Course[i-1].AtMillis)
		}
		if point.LowBasisPoints > point.EffectBasisPoints || point.EffectBasisPoints > point.HighBasisPoints {
			t.Errorf("point %d is %+v", i, point)
		}
	}
	if line.DecidedMillis == 0 {
		return
	}
	last := reportv1.DuetPoint{
		AtMillis: line.DecidedMillis, EffectBasisPoints: *line.EffectBasisPoints, LowBasisPoints: *line.LowBasisPoints,
		HighBasisPoints: *line.HighBasisPoints,
	}
	if diff := cmp.Diff(last, line.Course[len(line.Course)-1]); diff != "" {
		t.Errorf("the last point (-line +course):\n%s", diff)
	}
}

func TestALongCourseHasFewPoints(t *testing.T) {
	w := &windows{random: rand.New(rand.NewPCG(3, 4)), slower: [2]float64{1, 1}, replies: 60, noise: 0.2}
	line := rate("")
	line.MinEffectPercent, line.ConfidencePercent = 1, 99
	told := w.told(t, judge(t, line), 600)[0]
	if points := len(told.Course); points < 100 || points > 240 {
		t.Errorf("%d pairs have %d points, want some hundred and 240 at most", told.Pairs, points)
	}
	checkCourse(t, told)
}

func TestTooFewOperationsWaitForMore(t *testing.T) {
	// A p99 takes 1,000 times on each side, which are ten windows of 100, and so five groups.
	w := &windows{random: rand.New(rand.NewPCG(5, 6)), slower: [2]float64{1, 1}, replies: 200}
	lines := w.told(t, judge(t,
		latencyOfRead(benchv1alpha1.MetricP99Micros), latencyOfRead(benchv1alpha1.MetricP50Micros)), 20)
	p99, p50 := lines[0], lines[1]
	if p99.Pairs < 3 || p99.Pairs > 10 {
		t.Errorf("20 groups of few operations are %d pairs of a p99, want one of several groups each", p99.Pairs)
	}
	if p50.Pairs != 20 {
		t.Errorf("there are %d pairs of a p50, want one of each group", p50.Pairs)
	}
	// One of which there are never enough has no figure.
	if none := w.told(t, judge(t, latencyOfRead(benchv1alpha1.MetricP999Micros)), 5)[0]; none.Pairs != 0 ||
		none.Baseline != 0 || none.Candidate != 0 || none.Verdict != benchv1alpha1.VerdictInconclusive {
		t.Errorf("a p99.9 of 2,000 operations is %+v", none)
	}
}

func TestAGroupThatWasDisturbedIsSetAside(t *testing.T) {
	w := &windows{random: rand.New(rand.NewPCG(7, 8)), slower: [2]float64{1, 1}, replies: 300}
	quiet, disturbed := judge(t, rate("read")), judge(t, rate("read"))
	for number := range 25 {
		group := w.group(t)
		quiet.Add(group)
		disturbed.Add(group)
		if number%3 == 0 {
			// Were it compared, it would be seen: it has nothing on one side.
			group = w.group(t)
			group.Windows[duet.Candidate] = make([]duet.Window, 2)
			group.Disturbed = "writes a checkpoint"
			disturbed.Add(group)
		}
	}
	if diff := cmp.Diff(quiet.Lines(), disturbed.Lines()); diff != "" {
		t.Errorf("disturbed groups count (-without +with):\n%s", diff)
	}
}

func TestAnOperationIsComparedByItself(t *testing.T) {
	w := &windows{random: rand.New(rand.NewPCG(9, 10)), slower: [2]float64{1, 1}, replies: 300}
	judge := judge(t, rate(""), rate("write"))
	for range 30 {
		group := w.group(t)
		// Only writes of the candidate are slower, by half.
		for i := range group.Windows[duet.Candidate] {
			group.Windows[duet.Candidate][i].Operations[1].Replies /= 2
		}
		judge.Add(group)
	}
	all, write := judge.Lines()[0], judge.Lines()[1]
	if change := *write.EffectBasisPoints; change > -4800 || change < -5200 {
		t.Errorf("writes changed by %d hundredths of a percent, want half", change)
	}
	if change := *all.EffectBasisPoints; change > -2300 || change < -2700 {
		t.Errorf("all changed by %d hundredths of a percent, want a quarter", change)
	}
}

func TestWhatCannotBeComparedIsRefused(t *testing.T) {
	for name, line := range map[string]planv1.Line{
		"an operation that there is not": rate("delete"),
		"a metric that no window has":    latencyOfRead(benchv1alpha1.MetricErrorsPerMillion),
		"a confidence of everything":     {Metric: benchv1alpha1.MetricP50Micros, ConfidencePercent: 100},
	} {
		if _, err := duet.NewJudge(operations, []planv1.Line{line}, 1); err == nil {
			t.Errorf("%s is compared", name)
		}
	}
}

func TestOrder(t *testing.T) {
	const a, b = duet.Candidate, duet.Baseline
	alternating, concurrent := duet.Form(benchv1alpha1.DuetAlternating), duet.Form(benchv1alpha1.DuetConcurrent)
	for name, tc := range map[string]struct {
		got, want [][]duet.Side
	}{
		"the first group":    {alternating.Rounds(0), [][]duet.Side{{a}, {b}, {b}, {a}}},
		"the second group":   {alternating.Rounds(1), [][]duet.Side{{b}, {a}, {a}, {b}}},
		"the third group":    {alternating.Rounds(2), [][]duet.Side{{a}, {b}, {b}, {a}}},
		"at the same time":   {concurrent.Rounds(0), [][]duet.Side{{a, b}, {a, b}}},
		"and the next group": {concurrent.Rounds(1), [][]duet.Side{{a, b}, {a, b}}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWindowsAreAsLongAsTheSlowerSideNeeds(t *testing.T) {
	step := planv1.Step{Threads: 16}
	steady := func(each int64) []int64 {
		samples := make([]int64, 60)
		for i := range samples {
			samples[i] = each + int64(i%3)
		}
		return samples
	}
	if got := duet.WindowLength(step, [2][]int64{}, time.Second); got != time.Second {
		t.Errorf("without a warm-up it is %s, want 1 s", got)
	}
	if got := duet.WindowLength(step, [2][]int64{steady(5000), make([]int64, 60)}, time.Second); got != time.Second {
		t.Errorf("where one side answered nothing, and the other much, it is %s, want 1 s", got)
	}
	fast := duet.WindowLength(step, [2][]int64{steady(5000), steady(5000)}, time.Second)
	for _, slow := range [][2][]int64{{steady(100), steady(5000)}, {steady(5000), steady(100)}} {
		if got := duet.WindowLength(step, slow, time.Second); got <= fast {
			t.Errorf("with a slow side it is %s, and %s without", got, fast)
		}
	}
}
