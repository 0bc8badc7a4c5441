package page

import (
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// judgement is what lines were compared by.
type judgement struct {
	comparison.Settings
	// known is false when nobody can tell: there is no suite, or it has been changed since.
	known bool
}

// judgementOf a suite is by its specification, as long as that is the one that its verdict is of.
func judgementOf(suite *benchv1alpha1.BenchmarkSuite) judgement {
	if suite == nil {
		return judgement{}
	}
	told := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteRegressed)
	if told == nil || told.ObservedGeneration != suite.Generation || told.Reason == benchv1alpha1.ReasonNotCompared {
		return judgement{}
	}
	return judgement{known: true, Settings: comparison.Settings{
		Thresholds: suite.Spec.Thresholds, IgnoreDifferences: suite.Spec.IgnoreDifferences,
	}}
}

// addStatus adds what the suite itself says, and by what its lines were judged.
func (d *SuiteData) addStatus(suite *benchv1alpha1.BenchmarkSuite, by judgement) {
	if by.known {
		d.Limits, d.Ignored = limitsTable(by.Settings), by.IgnoreDifferences
	} else {
		d.note("By which thresholds the lines were judged is not known: the suite has been changed since, or is not there. "+
			"Intervals and change points are by the usual ones, %d %% at %d %% confidence.",
			benchv1alpha1.DefaultMinEffectPercent, benchv1alpha1.DefaultConfidencePercent)
	}
	if suite == nil {
		return
	}
	for _, name := range []string{benchv1alpha1.SuiteComplete, benchv1alpha1.SuiteRegressed} {
		if told := apimeta.FindStatusCondition(suite.Status.Conditions, name); told != nil {
			d.Told = append(d.Told, Fact{name, fmt.Sprintf("%s, %s: %s", told.Status, told.Reason, told.Message)})
		}
	}
	d.Revisions = revisionsTable(suite.Status.History)
}

func limitsTable(by comparison.Settings) *present.Table {
	table := &present.Table{
		Caption: "Thresholds",
		Columns: slices.Concat(present.Columns("metric", "step", "operation", "better is"),
			present.Numbers("matters from", "confidence")),
	}
	which := func(name *string) present.Cell {
		if name == nil {
			return present.Text("every")
		}
		return present.Text(*name)
	}
	better := map[benchv1alpha1.Direction]string{
		benchv1alpha1.HigherIsBetter: "higher", benchv1alpha1.LowerIsBetter: "lower",
	}
	percent := func(value int32) present.Cell { return present.Valued(fmt.Sprintf("%d %%", value), float64(value), "") }
	for _, threshold := range spec.Thresholds(by.Thresholds) {
		operation, metric := which(threshold.Operation), figure.ComparedBy(threshold.Metric)
		if threshold.Operation == nil && metric.Unit != figure.Micros {
			operation = present.Text("all together")
		}
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(metric.Name), which(threshold.Step), operation, present.Text(better[*threshold.Direction]),
			percent(*threshold.MinEffectPercent), percent(*threshold.ConfidencePercent),
		})
	}
	return table
}

// revisionsTable are the revisions that the status knows of, the latest first; nil when there are none.
func revisionsTable(history []benchv1alpha1.RevisionStatus) *present.Table {
	if len(history) == 0 {
		return nil
	}
	table := &present.Table{
		Caption: "Revisions, the latest first",
		Columns: present.Columns("revision", "began", "complete", "verdict"),
	}
	for _, revision := range history {
		completed, verdict := present.Unknown, present.Text(present.Unknown)
		if revision.CompletionTime != nil {
			completed = revision.CompletionTime.UTC().Format(time.RFC3339)
		}
		if revision.Verdict != nil {
			verdict = verdictCell(*revision.Verdict)
		}
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(revision.Revision), present.Text(revision.StartTime.UTC().Format(time.RFC3339)),
			present.Text(completed), verdict,
		})
	}
	return table
}
