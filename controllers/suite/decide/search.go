package decide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/sizing"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

const (
	// mostTried is how many variants the status of a search has.
	mostTried = 64
	// mostRemarks is how many runs the message of a variant speaks of.
	mostRemarks = 2
)

// tooSmall are the reasons of runs that did not succeed because the target did not bear what was asked of it: an answer
// to a search.
var tooSmall = []string{
	benchv1alpha1.ReasonOOMKilled, benchv1alpha1.ReasonCrashed, benchv1alpha1.ReasonTargetFailed,
	benchv1alpha1.ReasonTargetLost, benchv1alpha1.ReasonAborted,
}

// ofTheTarget are the doubts that say that a target had too little: of a search that is what is looked for.
var ofTheTarget = []string{
	benchv1alpha1.ReasonServerThrottled, benchv1alpha1.ReasonScheduleNotKept, benchv1alpha1.ReasonOperationErrors,
	benchv1alpha1.ReasonNotSteady,
}

// ofTheGenerator are the doubts with which a schedule that was not kept may be the load generator's fault.
var ofTheGenerator = []string{
	benchv1alpha1.ReasonGeneratorLate, benchv1alpha1.ReasonGeneratorSaturated, benchv1alpha1.ReasonTooFewThreads,
	benchv1alpha1.ReasonGatewaySaturated,
}

// search is what the runs of a revision say of its variants.
type search struct {
	*revision
	declared benchv1alpha1.SuiteSearch
	space    sizing.Space
	evidence []sizing.Evidence
	judged   []sizing.Judgement
	// objectives are what each variant has of what is minimised; nil of one of which it is not known.
	objectives []*int64
	// remarks are about runs that say nothing or were not survived, by the variants' indexes.
	remarks [][]string
}

// searches says whether a suite looks for its smallest variant.
func (o *Observation) searches() bool { return o.Suite.Spec.Search != nil }

// searched takes from all runs that a search might make those that there are and those that it needs next.
func (r *revision) searched(all []slot) []slot {
	s := newSearch(r, all)
	next, more := s.next()
	exists, wanted := func(one slot) bool { return one.run != nil || one.sample != nil }, 0
	if more {
		wanted = max(sizing.FewestTrials, s.evidence[next].Used+1)
	}
	return slices.DeleteFunc(all, func(one slot) bool {
		return !exists(one) && (!more || one.Variant != next || one.Repetition > wanted)
	})
}

func newSearch(r *revision, slots []slot) *search {
	count := len(r.Plan.Variants)
	normal := spec.NormaliseSuite(r.Suite.Spec)
	s := &search{
		revision: r, declared: *normal.Search, objectives: make([]*int64, count),
		evidence: make([]sizing.Evidence, count), remarks: make([][]string, count),
	}
	for i, variant := range r.Plan.Variants {
		s.objectives[i] = suite.Objective(*s.declared.Minimise, variant)
	}
	s.space = suite.Space(r.Suite, r.Plan.Variants, s.objectives)
	for _, one := range slots {
		if r.ended(one) {
			s.learn(one)
		}
	}
	if *s.declared.Minimise == benchv1alpha1.MinimiseCost {
		for i, side := range r.sides() {
			s.objectives[i] = dearest(side)
		}
	}
	s.judged = sizing.Rule{
		Confidence: float64(*s.declared.ConfidencePercent) / 100, MostTrials: int(*normal.Repetitions),
	}.Judge(s.evidence)
	return s
}

// learn adds what a run has shown.
func (s *search) learn(one slot) {
	evidence := &s.evidence[one.Variant]
	evidence.Used++
	if s.failed(one) {
		why := condition.Reason(one.run.Status.Conditions, benchv1alpha1.RunSucceeded)
		if slices.Contains(tooSmall, why) {
			evidence.Trials = append(evidence.Trials, sizing.Trial{Broken: true})
			s.remark(one, "was not survived: "+why)
			return
		}
		s.remark(one, "failed and says nothing: "+why)
		return
	}
	sample := one.sample
	if one.run != nil {
		sample = new(comparison.SampleOf(one.run))
	}
	barred := slices.DeleteFunc(slices.Clone(sample.Doubts), func(doubt string) bool {
		return slices.Contains(s.Suite.Spec.AllowDoubts, doubt) || slices.Contains(ofTheTarget, doubt)
	})
	if len(barred) > 0 {
		s.remark(one, "is in doubt and says nothing: "+strings.Join(barred, ", ")+"; spec.allowDoubts counts it all the same")
		return
	}
	late := slices.Contains(sample.Doubts, benchv1alpha1.ReasonScheduleNotKept)
	if late && slices.ContainsFunc(sample.Doubts, func(doubt string) bool {
		return slices.Contains(ofTheGenerator, doubt)
	}) {
		s.remark(one, "did not keep its schedule and says nothing: that may be the load generator's fault")
		return
	}
	if late {
		evidence.Trials = append(evidence.Trials, sizing.Trial{Broken: true})
		s.remark(one, "did not keep its schedule: the target was not fast enough")
		return
	}
	margins, missing := comparison.Margins(*sample, s.declared.Constraints)
	if missing != "" {
		s.remark(one, "says nothing: "+missing)
		return
	}
	evidence.Trials = append(evidence.Trials, sizing.Trial{Margins: margins})
}

func (s *search) remark(one slot, text string) {
	s.remarks[one.Variant] = append(s.remarks[one.Variant], "run "+one.Name+" "+text)
}

func (s *search) verdicts() []sizing.Verdict {
	verdicts := make([]sizing.Verdict, len(s.judged))
	for i, judged := range s.judged {
		verdicts[i] = judged.Verdict
	}
	return verdicts
}

// next is the variant that needs another run.
func (s *search) next() (int, bool) {
	used := make([]int, len(s.evidence))
	for i, evidence := range s.evidence {
		used[i] = evidence.Used
	}
	return s.space.Next(s.verdicts(), used)
}

// smallest are the variants that were found, the one that is taken first. One whose objective is not known comes last.
func (s *search) smallest() []int {
	found := s.space.Smallest(s.verdicts())
	slices.SortStableFunc(found, func(one, other int) int {
		first, second := s.objectives[one], s.objectives[other]
		if first == nil || second == nil {
			return cmp.Compare(rank(first), rank(second))
		}
		return cmp.Compare(*first, *second)
	})
	return found
}

func rank(objective *int64) int {
	if objective == nil {
		return 1
	}
	return 0
}

// dearest is what a month at the rate of the step costs that costs most; nil when nothing is known of costs.
func dearest(side comparison.Side) *int64 {
	var highest *int64
	for _, key := range comparison.Keys(side) {
		if key.Metric != benchv1alpha1.MetricCostPerMonthAtRateMicros {
			continue
		}
		if cost := side.Median(key); cost != nil && (highest == nil || *cost > *highest) {
			highest = cost
		}
	}
	return highest
}

// status is what a search knows.
func (s *search) status() *benchv1alpha1.SuiteSearchStatus {
	found, verdicts := s.smallest(), s.verdicts()
	status := &benchv1alpha1.SuiteSearchStatus{
		Minimise: *s.declared.Minimise, Runs: new(int32), MatrixRuns: new(int32(len(s.Plan.Slots))),
	}
	for i, variant := range s.Plan.Variants {
		if s.evidence[i].Used == 0 {
			continue
		}
		*status.Runs += int32(s.evidence[i].Used)
		if len(status.Tried) < mostTried {
			tried := s.tried(i)
			tried.Variant = variant.Name
			if slices.Contains(found, i) {
				tried.Verdict = benchv1alpha1.SearchSmallest
			}
			status.Tried = append(status.Tried, tried)
		}
	}
	status.Outcome = s.outcome(found)
	if status.Outcome == benchv1alpha1.SearchFound {
		status.Variant = s.Plan.Variants[found[0]].Name
	}
	status.Message = s.message(status, found, verdicts)
	return status
}

// outcome of a search that found these variants until now.
func (s *search) outcome(found []int) benchv1alpha1.SearchOutcome {
	_, more := s.next()
	switch {
	case more && s.stopped == "":
		return benchv1alpha1.SearchGoesOn
	case more, len(found) == 0 && slices.Contains(s.verdicts(), sizing.Undecided):
		return benchv1alpha1.SearchNotKnown
	case len(found) > 0:
		return benchv1alpha1.SearchFound
	default:
		return benchv1alpha1.SearchNothingKeeps
	}
}

// tried is what is known of one variant.
func (s *search) tried(variant int) benchv1alpha1.SearchedVariant {
	judged, evidence := s.judged[variant], s.evidence[variant]
	tried := benchv1alpha1.SearchedVariant{
		Verdict: verdictNames[judged.Verdict], Runs: new(int32(evidence.Used)), Objective: s.objectives[variant],
		Message: condition.Cut(strings.Join(present.First(s.remarks[variant], mostRemarks, "and %d more"), "; "), 512),
	}
	if judged.Constraint < 0 {
		return tried
	}
	limit := s.declared.Constraints[judged.Constraint]
	tried.Constraint = limit.DeepCopy()
	tried.ValueMillis = millisAt(judged.Margin, limit)
	tried.LowMillis, tried.HighMillis = millisAt(judged.High, limit), millisAt(judged.Low, limit)
	if limit.Min != nil {
		tried.LowMillis, tried.HighMillis = tried.HighMillis, tried.LowMillis
	}
	return tried
}

var verdictNames = map[sizing.Verdict]benchv1alpha1.SearchVerdict{
	sizing.Open: benchv1alpha1.SearchOpen, sizing.Keeps: benchv1alpha1.SearchKeeps,
	sizing.Breaks: benchv1alpha1.SearchBreaks, sizing.Undecided: benchv1alpha1.SearchUndecided,
}

// millisAt is the figure at a margin, in thousandths of its unit.
func millisAt(margin float64, limit benchv1alpha1.SearchConstraint) *int64 {
	value, known := comparison.AtMargin(margin, limit)
	if !known || value > math.MaxInt64/2000 {
		return nil
	}
	return new(int64(math.Round(value * 1000)))
}

// message says what was found, and how sure that is.
func (s *search) message(
	status *benchv1alpha1.SuiteSearchStatus, found []int, verdicts []sizing.Verdict,
) string {
	made := fmt.Sprintf("%s of %d", present.Plural(int64(*status.Runs), "run"), *status.MatrixRuns)
	var open []string
	for i, verdict := range verdicts {
		if verdict == sizing.Undecided {
			open = append(open, s.Plan.Variants[i].Name)
		}
	}
	notKnown := ""
	if len(open) > 0 {
		notKnown = fmt.Sprintf("; of %s it is not known, and spec.repetitions are used up",
			strings.Join(present.First(open, maxRefusals, "%d more"), ", "))
	}
	switch status.Outcome {
	case benchv1alpha1.SearchGoesOn:
		next, _ := s.next()
		return fmt.Sprintf("%s: variant %s is being tried", made, s.Plan.Variants[next].Name)
	case benchv1alpha1.SearchFound:
		said := fmt.Sprintf("%s keeps the constraints, by %s", status.Variant, made)
		if smaller := s.below(found[0], verdicts); smaller != "" {
			said += "; " + smaller
		}
		if len(found) > 1 {
			var others []string
			for _, other := range found[1:] {
				others = append(others, s.Plan.Variants[other].Name)
			}
			said += "; so do " + strings.Join(present.First(others, maxRefusals, "%d more"), ", ") +
				", of which no smaller variant does"
		}
		return said + notKnown
	case benchv1alpha1.SearchNothingKeeps:
		return "no variant keeps the constraints, by " + made + notKnown
	default:
		if len(found) > 0 {
			return fmt.Sprintf("%s keeps the constraints, by %s; that nothing smaller does is not known%s",
				s.Plan.Variants[found[0]].Name, made, notKnown)
		}
		return "no variant is known to keep the constraints, by " + made + notKnown
	}
}

// below says which variants that are next to the one found break the constraints.
func (s *search) below(found int, verdicts []sizing.Verdict) string {
	var breaks []string
	for i, verdict := range verdicts {
		if verdict == sizing.Breaks && s.adjacent(i, found) {
			judged := s.judged[i]
			why := s.Plan.Variants[i].Name + " breaks them"
			if judged.Constraint >= 0 {
				why = fmt.Sprintf("%s does not keep %s", s.Plan.Variants[i].Name,
					comparison.ConstraintText(s.declared.Constraints[judged.Constraint]))
			}
			breaks = append(breaks, why)
		}
	}
	return strings.Join(present.First(breaks, maxRefusals, "and %d more"), ", ")
}

// adjacent says whether a variant is smaller than another by one choice of one dimension.
func (s *search) adjacent(smaller, than int) bool {
	steps := 0
	for dimension, place := range s.space.Points[than] {
		distance := place - s.space.Points[smaller][dimension]
		if distance < 0 {
			return false
		}
		steps += distance
	}
	return steps == 1
}

// concludeSearch writes the conditions of a search that is complete.
func (r *revision) concludeSearch(c *condition.Setter, status *benchv1alpha1.SuiteSearchStatus) {
	c.Unknown(regressed, benchv1alpha1.ReasonNoBaseline, "a search compares with its constraints alone")
	reason, message := string(status.Outcome), condition.Short(status.Message)
	switch {
	case r.stopped != "":
		c.False(passed, r.stopped, condition.Short(tally{r}.whyStopped(r.stopped)+"; "+status.Message))
	case status.Outcome == benchv1alpha1.SearchFound:
		c.True(passed, reason, message)
	default:
		c.False(passed, reason, message)
	}
}
