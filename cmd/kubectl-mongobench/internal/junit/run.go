package junit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/reason"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// untrusted is the type of what is in doubt.
const untrusted = "Untrusted"

// Run writes what a run came to: whether it succeeded and is to be trusted, each of its steps, and each line of a duet.
// A doubt is told of the step alone where it is worst, so that of a run in doubt no step is known to be right.
func Run(to io.Writer, source page.Source) error {
	written := &testSuite{Name: source.Name}
	succeeded := testCase{Class: source.Name, Name: "succeeded"}
	if run := source.Object; run != nil {
		written.add("namespace", run.Namespace)
		written.add("target", run.Status.TargetName)
		written.Time = took(run)
		if len(run.Status.Stages) > 0 {
			written.Timestamp = began(run.Status.Stages[0].StartTime.Time)
		}
		judge(&succeeded, run)
	}
	written.Cases = append(written.Cases, succeeded)
	if source.Report.Version == "" { // It has not been measured.
		return written.write(to)
	}
	report, err := output.Look(source.Name, source.Report)
	if err != nil {
		return err
	}
	written.add("server", report.Report.Server.Version)
	var reasons, said []string
	for _, doubt := range report.Doubts {
		reasons = append(reasons, doubt.Reason)
		said = append(said, doubt.Reason+": "+doubt.Message)
	}
	trusted := testCase{Class: source.Name, Name: "trusted"}
	if len(said) > 0 {
		trusted.Skipped = because(untrusted, "it is not to be trusted: "+said[0], said[1:]...)
	}
	written.Cases = append(written.Cases, trusted)
	for _, step := range report.Summary.Steps {
		written.Cases = append(written.Cases, stepOf(source.Name, step, reasons))
		written.Cases = append(written.Cases, objectivesOf(source.Name, step)...)
	}
	written.Cases = append(written.Cases, compared(source.Name, report.Report.Duet, reasons)...)
	return written.write(to)
}

// judge says how a run ended.
func judge(of *testCase, run *benchv1alpha1.BenchmarkRun) {
	state := show.StateOfRun(run)
	switch state.Ending {
	case show.Failed, show.Refused:
		of.Error = cause(run, state, "")
	case show.Open:
		of.Skipped = because("Open", "it is not known yet: "+present.Or(state.Stage+" "+state.Detail))
	default:
		of.Out = remark(state.Message)
	}
}

// cause is why a run failed, and what to do.
func cause(run *benchv1alpha1.BenchmarkRun, state show.State, name string) *outcome {
	condition := benchv1alpha1.RunSucceeded
	if state.Ending == show.Refused {
		condition = benchv1alpha1.RunAccepted
	}
	kind := "Failed"
	if found := apimeta.FindStatusCondition(run.Status.Conditions, condition); found != nil && found.Reason != "" {
		kind = found.Reason
	}
	return because(kind, name+state.Message, remedies([]string{kind})...)
}

// remedies are what to do about reasons, each with its name.
func remedies(reasons []string) []string {
	var lines []string
	for _, name := range slices.Compact(slices.Clone(reasons)) {
		if remedy := reason.Remedy(name); remedy != "" {
			lines = append(lines, name+": "+remedy)
		}
	}
	return lines
}

// objectivesOf are a case for each objective of a step.
func objectivesOf(run string, step reportv1.StepSummary) []testCase {
	cases := make([]testCase, 0, len(step.Objectives))
	for _, one := range step.Objectives {
		text := result.ObjectiveText(one)
		of := testCase{Class: run, Name: fmt.Sprintf("%s: objective %d", step.Name, len(cases)+1), Out: remark(text)}
		if !one.Kept {
			of.Out, of.Failure = nil, because(benchv1alpha1.ReasonMissed, text)
		}
		cases = append(cases, of)
	}
	return cases
}

// mostNamed is how many doubts a step names.
const mostNamed = 3

func stepOf(run string, step reportv1.StepSummary, doubts []string) testCase {
	of := testCase{Class: run, Name: step.Name, Time: seconds(step.DurationMillis * int64(time.Millisecond))}
	all := step.Overall
	text := fmt.Sprintf("%s/s, mean %s, %s, %s", present.Count(all.OperationsPerSecond), present.Micros(all.MeanMicros),
		present.Plural(all.Count, "operation"), present.Plural(all.Errors, "error"))
	if len(doubts) == 0 {
		of.Out = remark(text)
		return of
	}
	named := strings.Join(present.First(doubts, mostNamed, "%d more"), ", ")
	of.Skipped = because(untrusted, "measured, and not to be trusted: "+named, text)
	return of
}
