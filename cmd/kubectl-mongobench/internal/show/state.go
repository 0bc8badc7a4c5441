package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

// Ending is how something ended.
type Ending int

// Endings. What is Open has not ended; a suite that is Regressed did not pass, for whichever reason, and
// such a run missed an objective.
const (
	Open Ending = iota
	Succeeded
	Failed
	Regressed
	Refused
)

// State is where a run or suite is.
type State struct {
	// Stage is one word of where it is, and Detail what it waits for.
	Stage, Detail string
	// Step that runs; empty when none does.
	Step string
	// Percent of the step; negative when unknown.
	Percent int
	// Rate at present in Unit; 0 when nothing is measured.
	Rate int64
	Unit string
	// Known is what is known by now of the lines of a duet.
	Known []present.Narrowing
	// Ending, and the message that goes with it.
	Ending  Ending
	Message string
	// CleanedUp says that nothing is left to do, the removal of what a run made included.
	CleanedUp bool
}

// Ended says whether it is known how it ended.
func (s State) Ended() bool { return s.Ending != Open }

// waiting is the state of what no operator has looked at.
func waiting() State {
	return State{Stage: "Waiting", Detail: "for the operator", Percent: -1}
}

// StateOfRun is the state of a run.
func StateOfRun(run *benchv1alpha1.BenchmarkRun) State {
	state := waiting()
	progressing := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if progressing != nil {
		state.Stage, state.Detail = progressing.Reason, progressing.Message
		state.CleanedUp = progressing.Status == metav1.ConditionFalse
	}
	if progress := run.Status.Progress; progress != nil {
		state.Step = progress.Step
		if progress.Percent != nil {
			state.Percent = int(*progress.Percent)
		}
		state.Rate, state.Unit = ptr.Deref(progress.OperationsPerSecond, 0), "ops/s"
		if state.Stage == benchv1alpha1.StageLoading {
			state.Unit = "documents/s"
		}
		state.Known = narrowings("", progress.Comparison)
	}
	state.Ending, state.Message = endOfRun(run)
	return state
}

func endOfRun(run *benchv1alpha1.BenchmarkRun) (Ending, string) {
	find := func(name string) *metav1.Condition { return apimeta.FindStatusCondition(run.Status.Conditions, name) }
	switch Outcome(run) {
	case "refused":
		return Refused, "refused: " + find(benchv1alpha1.RunAccepted).Message
	case "failed":
		failed := find(benchv1alpha1.RunSucceeded)
		return Failed, "failed: " + failed.Reason + ": " + failed.Message
	case "untrusted":
		// The message names the reason of each doubt.
		return judged(run, "succeeded, and is not to be trusted: "+find(benchv1alpha1.RunTrusted).Message)
	case "succeeded":
		return judged(run, "succeeded")
	default:
		return Open, ""
	}
}

// judged is how a run ended that succeeded, by its objectives.
func judged(run *benchv1alpha1.BenchmarkRun, message string) (Ending, string) {
	kept := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunObjectivesKept)
	if kept == nil || kept.Status != metav1.ConditionFalse {
		return Succeeded, message
	}
	return Regressed, "missed an objective: " + kept.Message + "; it " + message
}

// StateOfSuite is the state of a suite with its runs.
func StateOfSuite(suite *benchv1alpha1.BenchmarkSuite, runs []benchv1alpha1.BenchmarkRun) State {
	state := waiting()
	if complete := current(suite, benchv1alpha1.SuiteComplete); complete != nil {
		state.Stage, state.Detail = complete.Reason, complete.Message
	}
	if counts := suite.Status.Runs; counts != nil {
		ended := ptr.Deref(counts.Succeeded, 0) + ptr.Deref(counts.Failed, 0)
		planned := ptr.Deref(counts.Planned, 0)
		state.Stage = fmt.Sprintf("%d/%d runs", ended, planned)
		if failed := ptr.Deref(counts.Failed, 0); failed > 0 {
			state.Stage += fmt.Sprintf(", %d failed", failed)
		}
	}
	underWay := slices.DeleteFunc(slices.Clone(runs), func(run benchv1alpha1.BenchmarkRun) bool {
		return StateOfRun(&run).Ended()
	})
	for i := range underWay {
		run := &underWay[i]
		under := StateOfRun(run)
		if state.Step == "" {
			state.Step = run.Name + " " + cmp.Or(under.Step, under.Stage)
			state.Percent, state.Rate, state.Unit = under.Percent, under.Rate, under.Unit
		}
		if progress := run.Status.Progress; progress != nil {
			of := ""
			if len(underWay) > 1 {
				of = run.Name
			}
			state.Known = append(state.Known, narrowings(of, progress.Comparison)...)
		}
	}
	state.Ending, state.Message = endOfSuite(suite)
	return state
}

// narrowings are lines of a duet that is being measured, of a run that is named where there are several.
func narrowings(of string, lines []benchv1alpha1.ComparisonLine) []present.Narrowing {
	found := make([]present.Narrowing, 0, len(lines))
	for _, line := range lines {
		words := slices.DeleteFunc([]string{of, line.Operation, comparison.Name(line.Metric)}, func(word string) bool {
			return word == ""
		})
		one := present.Narrowing{
			Name: strings.Join(words, " "), Effect: line.EffectBasisPoints, Low: line.LowBasisPoints,
			High: line.HighBasisPoints,
		}
		// What is not decided has a verdict as well, which is the last one if time runs out.
		if line.Verdict != benchv1alpha1.VerdictNotDetected && line.Verdict != benchv1alpha1.VerdictInconclusive {
			one.Answer = string(line.Verdict)
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func endOfSuite(suite *benchv1alpha1.BenchmarkSuite) (Ending, string) {
	accepted := current(suite, benchv1alpha1.SuiteAccepted)
	if accepted != nil && accepted.Status == metav1.ConditionFalse {
		return Refused, "refused: " + accepted.Message
	}
	complete := current(suite, benchv1alpha1.SuiteComplete)
	if complete == nil || complete.Status != metav1.ConditionTrue {
		return Open, ""
	}
	if suite.Status.Search != nil {
		return endOfSearch(suite)
	}
	if complete.Reason != benchv1alpha1.ReasonAllSucceeded {
		return Failed, fmt.Sprintf("failed: %s: %s", complete.Reason, complete.Message)
	}
	regressed := current(suite, benchv1alpha1.SuiteRegressed)
	if regressed == nil || regressed.Reason == benchv1alpha1.ReasonNotCompared {
		return Open, ""
	}
	return endOfComparison(regressed, current(suite, benchv1alpha1.SuitePassed))
}

// endOfComparison is that of a suite of which every run succeeded. Of an older operator there is no condition Passed.
func endOfComparison(regressed, passed *metav1.Condition) (Ending, string) {
	gate := metav1.ConditionUnknown
	if passed != nil {
		gate = passed.Status
	}
	switch {
	case gate == metav1.ConditionFalse && regressed.Status != metav1.ConditionTrue:
		return Regressed, fmt.Sprintf("not passed: %s: %s", passed.Reason, passed.Message)
	case gate == metav1.ConditionTrue && regressed.Status == metav1.ConditionTrue:
		return Succeeded, "succeeded, and regressed: " + regressed.Message
	case regressed.Status == metav1.ConditionTrue:
		return Regressed, "regressed: " + regressed.Message
	case regressed.Status == metav1.ConditionFalse:
		return Succeeded, "succeeded, not regressed: " + regressed.Message
	default:
		return Succeeded, fmt.Sprintf("succeeded, without a verdict on regressions: %s: %s", regressed.Reason,
			regressed.Message)
	}
}

// current is a condition that speaks of the present content of a suite, which may have been applied a moment ago.
func current(suite *benchv1alpha1.BenchmarkSuite, name string) *metav1.Condition {
	found := apimeta.FindStatusCondition(suite.Status.Conditions, name)
	if found == nil || found.ObservedGeneration < suite.Generation {
		return nil
	}
	return found
}

// sparkWidth is how many of the last rates a sparkline has.
const sparkWidth = 30

// Screen is where states are shown.
type Screen struct {
	*screen.Line
	// rates that were seen last, and the step that they are of.
	rates   []int64
	ratesOf string
}

// Show shows a state, some time after the start.
func (s *Screen) Show(state State, elapsed time.Duration) {
	s.remember(state)
	place := state.Stage + state.Step
	if state.Step == "" {
		place += state.Detail
	}
	s.Line.Show(place, s.line(state, elapsed), elapsed, state.Rate > 0,
		present.Narrowings(state.Known, s.Overwritten())...)
}

// remember keeps the rates of the present step: those of another one, or of documents, are not to be seen beside them.
func (s *Screen) remember(state State) {
	if of := state.Stage + state.Step; of != s.ratesOf {
		s.rates, s.ratesOf = nil, of
	}
	if state.Rate > 0 {
		s.rates = append(s.rates, state.Rate)
		s.rates = s.rates[max(0, len(s.rates)-sparkWidth):]
	}
}

func (s *Screen) line(state State, elapsed time.Duration) string {
	parts := []string{fmt.Sprintf("%7.1f s", elapsed.Seconds()), fmt.Sprintf("%-12s", state.Stage)}
	if state.Step == "" {
		parts = append(parts, strings.Join(strings.Fields(state.Detail), " "))
	} else {
		parts = append(parts, state.Step)
	}
	drawn := s.Overwritten()
	if state.Percent >= 0 {
		if drawn {
			parts = append(parts, screen.Bar(state.Percent))
		}
		parts = append(parts, fmt.Sprintf("%3d %%", state.Percent))
	}
	if state.Rate > 0 {
		parts = append(parts, present.Count(state.Rate)+" "+state.Unit)
		if drawn {
			parts = append(parts, screen.Spark(s.rates))
		}
	}
	return strings.TrimRight(strings.Join(parts, "  "), " ")
}
