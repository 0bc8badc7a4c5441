package junit

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// Suite writes what a suite came to, with its runs: those that failed are told of only as far as they were read.
func Suite(to io.Writer, stored cluster.Stored) error {
	object := stored.Object
	if object == nil {
		return Compared(to, stored.Suite, stored.Result)
	}
	state := show.StateOfSuite(object, nil)
	failOn := *spec.NormaliseSuite(object.Spec).FailOn
	written := newSuite(object.Name, stored.Result, failOn)
	written.add("namespace", object.Namespace)
	if start := object.Status.StartTime; start != nil {
		written.Timestamp = began(start.Time)
		if end := object.Status.CompletionTime; end != nil {
			written.Time = seconds(max(0, end.Sub(start.Time)))
		}
	}
	judged := judging{suite: object.Name, failOn: failOn, passed: state.Ending == show.Succeeded}
	written.Cases = append(written.Cases, gate(object, state))
	written.Cases = append(written.Cases, judged.lines(stored.Lines)...)
	written.Cases = append(written.Cases, judged.failed(stored.Runs)...)
	written.Cases = append(written.Cases, judged.measured(stored.Sides, stored.Runs, object.Spec.AllowDoubts)...)
	return written.write(to)
}

// Compared writes a comparison of runs that are of no suite, whose lines are judged as those of a suite without failOn.
func Compared(to io.Writer, name string, result comparison.Result) error {
	judged := judging{suite: name, failOn: benchv1alpha1.DefaultFailOn}
	written := newSuite(name, result, judged.failOn)
	written.Cases = append(judged.lines(result.Lines), judged.measured(result.Sides, nil, nil)...)
	return written.write(to)
}

func newSuite(name string, result comparison.Result, failOn benchv1alpha1.FailOn) *testSuite {
	baselines := map[string]bool{}
	for _, line := range result.Lines {
		baselines[line.Baseline] = true
	}
	written := &testSuite{Name: name}
	written.add("revision", result.Revision)
	written.add("baseline", strings.Join(slices.Sorted(maps.Keys(baselines)), ", "))
	written.add("failOn", string(failOn))
	return written
}

// gate says whether a suite passed. It is there whatever there is to compare: Jenkins takes a document without any test
// for a mistake.
func gate(object *benchv1alpha1.BenchmarkSuite, state show.State) testCase {
	of := testCase{Class: object.Name, Name: "passed"}
	conditions := object.Status.Conditions
	reason := func(name, otherwise string) string {
		if found := apimeta.FindStatusCondition(conditions, name); found != nil && found.Reason != "" {
			return found.Reason
		}
		return otherwise
	}
	if object.Status.Search != nil && state.Ending == show.Failed {
		of.Failure = because(reason(benchv1alpha1.SuitePassed, "Failed"), state.Message)
		return of
	}
	known := object.Status.Search != nil ||
		apimeta.IsStatusConditionPresentAndEqual(conditions, benchv1alpha1.SuiteRegressed, metav1.ConditionFalse)
	switch {
	case state.Ending == show.Refused:
		of.Error = because(reason(benchv1alpha1.SuiteAccepted, "Refused"), state.Message)
	case state.Ending == show.Failed:
		of.Error = because(reason(benchv1alpha1.SuiteComplete, "Failed"), state.Message)
	case state.Ending == show.Regressed:
		of.Failure = because(reason(benchv1alpha1.SuiteRegressed, "Regressed"), state.Message)
	case state.Ending == show.Open:
		of.Skipped = because("Open", "it is not known yet: "+present.Or(strings.TrimSpace(state.Stage+" "+state.Detail)))
	case known:
		of.Out = remark(state.Message)
	default:
		of.Skipped = because(reason(benchv1alpha1.SuiteRegressed, "Unknown"), state.Message)
	}
	return of
}

// judging is by what lines and runs are judged.
type judging struct {
	suite  string
	failOn benchv1alpha1.FailOn
	// passed says that the suite passed, whatever its lines are: one without a baseline does.
	passed bool
}

// class of a variant. What Jenkins takes for the name of a package ends with the last dot, and a variant has some, as
// those of its versions.
func (j judging) class(variant string) string {
	return j.suite + "." + strings.ReplaceAll(variant, ".", "_")
}

func (j judging) lines(all []benchv1alpha1.ComparisonLine) []testCase {
	cases := make([]testCase, 0, len(all))
	for _, line := range all {
		cases = append(cases, j.line(line))
	}
	return cases
}

func (j judging) line(line benchv1alpha1.ComparisonLine) testCase {
	words := slices.DeleteFunc([]string{comparison.Name(line.Metric), line.Step, line.Operation},
		func(word string) bool { return word == "" })
	of := testCase{Class: j.class(line.Variant), Name: strings.Join(words, " ")}
	verdict, figures := string(line.Verdict), figures(line)
	message := verdict + ": " + line.Message + samples(line)
	switch {
	case comparison.Fails(j.failOn, line.Verdict) && !j.passed:
		of.Failure = because(verdict, message, figures)
	case comparison.Shown(line.Verdict):
		of.Out = remark(message, figures)
	default:
		of.Skipped = because(verdict, message+"; spec.failOn is "+string(j.failOn), figures)
	}
	return of
}

// samples says how many runs a line rests on, to be added to its message; nothing of a duet, whose message counts its
// pairs of windows.
func samples(line benchv1alpha1.ComparisonLine) string {
	if line.Test == benchv1alpha1.TestSequential {
		return ""
	}
	count := func(of *int32) int64 {
		if of == nil {
			return 0
		}
		return int64(*of)
	}
	text := ", " + present.Plural(count(line.Samples), "run")
	if line.Baseline == comparison.FigureBaseline {
		return text
	}
	return text + " against " + strconv.FormatInt(count(line.BaselineSamples), 10)
}

// figures of a line, for people.
func figures(line benchv1alpha1.ComparisonLine) string {
	texts := show.TextsOf(line)
	var facts present.Facts
	facts.Add("variant:", line.Variant)
	facts.Add("against:", line.Baseline)
	facts.Add("baseline:", texts.BaselineText)
	facts.Add("median:", texts.MedianText)
	facts.Add("change:", texts.ChangeText)
	facts.Add("interval:", texts.IntervalText)
	if p := line.PMillionths; p != nil {
		facts.Add("probability:", comparison.Probability(float64(*p)/1e6))
	}
	facts.Add("test:", string(line.Test))
	facts.Add("detectable:", present.Change(line.DetectableBasisPoints))
	return written(facts)
}

// written are facts as lines of text.
func written(facts present.Facts) string {
	var text strings.Builder
	document := present.Document{}
	document.Facts(facts)
	_ = document.Write(&text) // A Builder takes everything.
	return text.String()
}

// repetition of a variant as a test, whose name says nothing of the revision.
func (j judging) repetition(variant, number string) testCase {
	return testCase{Class: j.class(variant), Name: "repetition " + number}
}

// failed are the runs that ended without success.
func (j judging) failed(runs []benchv1alpha1.BenchmarkRun) []testCase {
	var cases []testCase
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b benchv1alpha1.BenchmarkRun) int { return cmp.Compare(a.Name, b.Name) })
	for i := range sorted {
		run := &sorted[i]
		state := show.StateOfRun(run)
		if state.Ending != show.Failed && state.Ending != show.Refused {
			continue
		}
		variant := cmp.Or(run.Annotations[suite.VariantAnnotation], run.Labels[suite.VariantLabel])
		of := j.repetition(variant, run.Labels[suite.RepetitionLabel])
		of.Time = took(run)
		of.Error = cause(run, state, "run "+run.Name+" ")
		cases = append(cases, of)
	}
	return cases
}

// measured are the runs that succeeded. One that is in doubt is named, since its figures are not known to be right.
func (j judging) measured(sides []comparison.Side, runs []benchv1alpha1.BenchmarkRun, allowed []string) []testCase {
	lasted := make(map[string]seconds, len(runs))
	for i := range runs {
		lasted[runs[i].Name] = took(&runs[i])
	}
	var cases []testCase
	for _, side := range sides {
		for i, sample := range side.Samples {
			of := j.repetition(side.Name, strconv.Itoa(cmp.Or(sample.Repetition, i+1)))
			of.Time = lasted[sample.Run]
			doubts := strings.Join(sample.Doubts, ", ")
			barred := slices.ContainsFunc(sample.Doubts, func(doubt string) bool {
				return !slices.Contains(allowed, doubt)
			})
			switch {
			case barred:
				of.Skipped = because(untrusted, "run "+sample.Run+" succeeded, and is not to be trusted: "+doubts,
					remedies(sample.Doubts)...)
			case doubts != "":
				of.Out = remark("run " + sample.Run + " is in doubt, which spec.allowDoubts allows: " + doubts)
			default:
				of.Out = remark("run " + sample.Run)
			}
			cases = append(cases, of)
		}
	}
	return cases
}

// took is how long a run took, as far as it has come.
func took(run *benchv1alpha1.BenchmarkRun) seconds {
	var first, last time.Time
	for _, stage := range run.Status.Stages {
		if first.IsZero() {
			first = stage.StartTime.Time
		}
		if stage.CompletionTime != nil && stage.CompletionTime.After(last) {
			last = stage.CompletionTime.Time
		}
	}
	return seconds(max(0, last.Sub(first)))
}
