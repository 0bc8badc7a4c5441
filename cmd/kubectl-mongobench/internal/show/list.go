package show

import (
	"fmt"
	"io"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// List says how lists are written.
type List struct {
	Paint present.Paint
	// Namespaces are a column when objects of several are listed.
	Namespaces bool
	Now        time.Time
}

// Runs writes a line for each run.
func (l List) Runs(to io.Writer, runs []benchv1alpha1.BenchmarkRun) error {
	rows := l.table(present.NewTable([]string{"RUN", "TARGET", "STAGE", "OUTCOME", "STEP"}, "OPS/S", "P99", "AGE"))
	for i := range runs {
		run := &runs[i]
		step, rate, p99 := present.Unknown, present.Unknown, present.Unknown
		if summary := run.Status.Summary; summary != nil {
			step, rate, p99 = Step(summary), number(summary.OperationsPerSecond), present.Or(summary.P99)
		}
		l.add(rows, run.ObjectMeta, present.Or(run.Status.TargetName),
			reason(run.Status.Conditions, benchv1alpha1.RunProgressing), Outcome(run), step, rate, p99,
			age(run.CreationTimestamp.Time, l.Now))
	}
	return rows.Write(to, l.Paint)
}

// Step is whose throughput and latency a summary has: the step, and of how many it is one.
func Step(summary *benchv1alpha1.RunSummary) string {
	if steps := summary.Steps; steps != nil && *steps > 1 {
		return fmt.Sprintf("%s (1 of %d)", present.Or(summary.Step), *steps)
	}
	return present.Or(summary.Step)
}

// Suites writes a line for each suite.
func (l List) Suites(to io.Writer, suites []benchv1alpha1.BenchmarkSuite) error {
	rows := l.table(&present.Table{Columns: slices.Concat(present.Columns("SUITE", "REVISION"),
		present.Numbers("RUNS", "SUCCEEDED", "FAILED"), present.Columns("COMPLETE", "VERDICT"), present.Numbers("AGE"))})
	for i := range suites {
		suite := &suites[i]
		counts := suite.Status.Runs
		if counts == nil {
			counts = &benchv1alpha1.RunCounts{}
		}
		l.add(rows, suite.ObjectMeta, present.Or(suite.Status.Revision), number(counts.Planned), number(counts.Succeeded),
			number(counts.Failed), reason(suite.Status.Conditions, benchv1alpha1.SuiteComplete), Verdict(suite),
			age(suite.CreationTimestamp.Time, l.Now))
	}
	return rows.Write(to, l.Paint)
}

// Targets writes a line for each target.
func (l List) Targets(to io.Writer, targets []benchv1alpha1.BenchmarkTarget) error {
	rows := l.table(present.NewTable([]string{"TARGET", "TOPOLOGY", "VERSION", "READY"}, "AGE"))
	for i := range targets {
		target := &targets[i]
		version := ""
		if target.Status.Server != nil {
			version = target.Status.Server.Version
		}
		l.add(rows, target.ObjectMeta, string(target.Spec.Topology()), present.Or(version),
			reason(target.Status.Conditions, benchv1alpha1.TargetReady), age(target.CreationTimestamp.Time, l.Now))
	}
	return rows.Write(to, l.Paint)
}

// table has the namespace in front where that is a column.
func (l List) table(rows *present.Table) *present.Table {
	if l.Namespaces {
		rows.Columns = slices.Concat(present.Columns("NAMESPACE"), rows.Columns)
	}
	return rows
}

func (l List) add(to *present.Table, object metav1.ObjectMeta, cells ...string) {
	cells = append([]string{object.Name}, cells...)
	if l.Namespaces {
		cells = append([]string{object.Namespace}, cells...)
	}
	to.Add(cells...)
}

// Outcome is how a run ended, in one word; a dash until it has.
func Outcome(run *benchv1alpha1.BenchmarkRun) string {
	conditions := run.Status.Conditions
	switch {
	case apimeta.IsStatusConditionFalse(conditions, benchv1alpha1.RunAccepted):
		return "refused"
	case apimeta.IsStatusConditionFalse(conditions, benchv1alpha1.RunSucceeded):
		return "failed"
	case !apimeta.IsStatusConditionTrue(conditions, benchv1alpha1.RunSucceeded):
		return present.Unknown
	case apimeta.IsStatusConditionFalse(conditions, benchv1alpha1.RunTrusted):
		return "untrusted"
	default:
		return "succeeded"
	}
}

// Verdict is what became of a suite's comparison, in few words; a dash until there is one.
func Verdict(suite *benchv1alpha1.BenchmarkSuite) string {
	conditions := suite.Status.Conditions
	if apimeta.IsStatusConditionFalse(conditions, benchv1alpha1.SuiteAccepted) {
		return "refused"
	}
	if search := suite.Status.Search; search != nil {
		return searchVerdict(search)
	}
	found := apimeta.FindStatusCondition(conditions, benchv1alpha1.SuiteRegressed)
	switch {
	case found == nil || found.Reason == benchv1alpha1.ReasonNotCompared:
		return present.Unknown
	case found.Status == metav1.ConditionTrue:
		return "regressed"
	case found.Status == metav1.ConditionFalse:
		return "not regressed"
	case found.Reason == benchv1alpha1.ReasonNoBaseline:
		return "no baseline"
	case found.Reason == benchv1alpha1.ReasonNotDetected:
		return "not detected"
	default:
		return "unknown"
	}
}

func reason(conditions []metav1.Condition, name string) string {
	if found := apimeta.FindStatusCondition(conditions, name); found != nil {
		return found.Reason
	}
	return present.Unknown
}

func number[T int32 | int64](value *T) string { return present.Known(value, present.Count) }

func micros(value *int64) string { return present.Known(value, present.Micros) }

// Quantity writes a figure in the unit of its metric.
func Quantity(metric benchv1alpha1.Metric, value *int64) string {
	return present.Known(value, func(value int64) string { return comparison.Quantity(metric, value) })
}

// age is how long ago something was, as kubectl writes it.
func age(at, now time.Time) string {
	if at.IsZero() {
		return present.Unknown
	}
	return duration.HumanDuration(now.Sub(at))
}
