package duet

import (
	"fmt"
	"math"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// narrowest is the number of values at which a line's interval is to be the narrowest: at windows of a second about as
// many as it takes to find a loss of 5 % where windows vary by a fifth (docs/design/011-answers.md).
const narrowest = 100

// mostPoints is how many points of a line's course are kept: twice as many at most, and then every second one.
const mostPoints = 120

// Judge says of the lines of a step whether they are decided, one group of windows after the other.
type Judge struct {
	lines []*line
}

// line is one that is compared.
type line struct {
	planned planv1.Line
	// operation is its index in the mix, -1 for all together.
	operation  int
	comparison *statistics.Comparison
	// waiting are the windows of each side since the last value, and whole all that were compared.
	waiting, whole [2]pool
	decidedMillis  int64
	course         []reportv1.DuetPoint
	// each is how many values lie between two points of the course, and since how many came after the last.
	each, since int
}

// NewJudge prepares for the lines of a step whose operations have these names, in the order of the mix. The confidence
// is held over as many lines as held says, which are at least those that are given.
func NewJudge(operations []string, lines []planv1.Line, held int) (*Judge, error) {
	judge := &Judge{}
	for _, planned := range lines {
		operation := -1
		if planned.Operation != "" {
			if operation = slices.Index(operations, planned.Operation); operation < 0 {
				return nil, fmt.Errorf("there is no operation %q to compare", planned.Operation)
			}
		}
		if !slices.Contains(Metrics, planned.Metric) {
			return nil, fmt.Errorf("a window has no %s", planned.Metric)
		}
		alpha := (1 - float64(planned.ConfidencePercent)/100) / float64(max(held, len(lines), 1))
		better := statistics.HigherIsBetter
		if planned.LowerIsBetter {
			better = statistics.LowerIsBetter
		}
		rule := statistics.Rule{Better: better, MinEffectPercent: float64(planned.MinEffectPercent)}
		comparison, err := statistics.NewComparison(rule, 1-alpha, narrowest)
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", planned.Metric, err)
		}
		judge.lines = append(judge.lines, &line{
			planned: planned, operation: operation, comparison: comparison, each: 1,
		})
	}
	return judge, nil
}

// Add adds a group. One that was disturbed decides nothing.
func (j *Judge) Add(group Group) {
	if group.Disturbed != "" {
		return
	}
	for _, one := range j.lines {
		one.add(group)
	}
}

// Decided says that every line has its verdict.
func (j *Judge) Decided() bool {
	return !slices.ContainsFunc(j.lines, func(l *line) bool { return l.comparison.Answer() == statistics.Unsettled })
}

// add adds a group of windows, which is a value unless there are too few operations for one: then it waits for more.
func (l *line) add(group Group) {
	if l.comparison.Answer() != statistics.Unsettled {
		return
	}
	for side := range group.Windows {
		for _, window := range group.Windows[side] {
			l.waiting[side].add(window, l.operation)
			l.whole[side].add(window, l.operation)
		}
	}
	metric := l.planned.Metric
	if !l.waiting[Baseline].enough(metric) || !l.waiting[Candidate].enough(metric) {
		return
	}
	ratio := math.Log(l.waiting[Candidate].value(metric) / l.waiting[Baseline].value(metric))
	l.waiting = [2]pool{}
	// What there is enough of has a finite ratio.
	answer, _ := l.comparison.Add(ratio)
	if answer != statistics.Unsettled {
		l.decidedMillis = group.At.Milliseconds()
	}
	l.point(group.At.Milliseconds(), answer != statistics.Unsettled)
}

// point adds a point to the course, when one is due or it is the last.
func (l *line) point(at int64, last bool) {
	effect, known := l.comparison.Effect()
	l.since++
	if !known || l.since < l.each && !last {
		return
	}
	l.since = 0
	l.course = append(l.course, reportv1.DuetPoint{
		AtMillis: at, EffectBasisPoints: statistics.BasisPoints(effect.Estimate),
		LowBasisPoints: statistics.BasisPoints(effect.Low), HighBasisPoints: statistics.BasisPoints(effect.High),
	})
	if len(l.course) > 2*mostPoints {
		for i := range l.course {
			l.course[i/2] = l.course[i]
		}
		l.course, l.each = l.course[:(len(l.course)+1)/2], 2*l.each
	}
}

// Lines are what is known by now.
func (j *Judge) Lines() []reportv1.DuetLine {
	found := make([]reportv1.DuetLine, 0, len(j.lines))
	for _, one := range j.lines {
		found = append(found, one.told())
	}
	return found
}

func (l *line) told() reportv1.DuetLine {
	told := reportv1.DuetLine{
		Metric: l.planned.Metric, Operation: l.planned.Operation, Verdict: l.verdict(),
		MinEffectPercent: l.planned.MinEffectPercent,
		Pairs:            l.comparison.Count(), DecidedMillis: l.decidedMillis, Course: slices.Clone(l.course),
	}
	if metric := l.planned.Metric; l.whole[Baseline].enough(metric) && l.whole[Candidate].enough(metric) {
		told.Baseline = int64(math.Round(l.whole[Baseline].value(metric)))
		told.Candidate = int64(math.Round(l.whole[Candidate].value(metric)))
	}
	if effect, known := l.comparison.Effect(); known {
		told.EffectBasisPoints = new(statistics.BasisPoints(effect.Estimate))
		told.LowBasisPoints = new(statistics.BasisPoints(effect.Low))
		told.HighBasisPoints = new(statistics.BasisPoints(effect.High))
	}
	return told
}

// verdict of a line; one that time has ended was not detected, and one of which nothing is known is inconclusive.
func (l *line) verdict() benchv1alpha1.Verdict {
	switch l.comparison.Answer() {
	case statistics.Regressed:
		return benchv1alpha1.VerdictRegressed
	case statistics.Improved:
		return benchv1alpha1.VerdictImproved
	case statistics.Unchanged:
		return benchv1alpha1.VerdictUnchanged
	case statistics.Unsettled:
	}
	if _, known := l.comparison.Effect(); known {
		return benchv1alpha1.VerdictNotDetected
	}
	return benchv1alpha1.VerdictInconclusive
}
