package show

import (
	"fmt"
	"io"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Suite describes a suite: its variants, how they compare, and its history.
func Suite(to io.Writer, paint present.Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	status := suite.Status
	var head present.Facts
	head.Add("Suite:", suite.Namespace+"/"+suite.Name)
	head.Add("Verdict:", Verdict(suite))
	head.Add("Revision:", present.Or(status.Revision))
	if counts := status.Runs; counts != nil {
		head.Add("Runs:", fmt.Sprintf("%s planned, %s active, %s succeeded, %s failed, %s of them in doubt",
			number(counts.Planned), number(counts.Active), number(counts.Succeeded), number(counts.Failed),
			number(counts.Untrusted)))
	}
	if status.Result != nil {
		head.Add("Result:", status.Result.ConfigMapName)
	}
	if status.OmittedLines != nil && *status.OmittedLines > 0 {
		head.Add("Omitted:", number(status.OmittedLines)+" lines of the comparison; kubectl mongobench report has all")
	}
	text := &present.Document{Paint: paint}
	text.Facts(head)
	verdict(text, status.Conditions)
	compared(text, suite)
	text.Part("Change points", changePoints(status.ChangePoints))
	text.Part("History", history(status.History))
	return text.Write(to)
}

// SuiteEnd writes what a suite came to: its variants and how they compare.
func SuiteEnd(to io.Writer, paint present.Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	text := &present.Document{Paint: paint, Below: true}
	compared(text, suite)
	return text.Write(to)
}

func compared(text *present.Document, suite *benchv1alpha1.BenchmarkSuite) {
	text.Part("Variants", variants(suite.Status.Variants))
	text.Part("Comparison", lines(suite.Status.Comparison))
	text.Part("Why", reasons(suite.Status.Comparison))
}

func variants(all []benchv1alpha1.VariantStatus) *present.Table {
	rows := present.NewTable([]string{"VARIANT"}, "SUCCEEDED", "FAILED", "OPS/S", "P99")
	for _, variant := range all {
		rows.Add(variant.Name, number(variant.Succeeded), number(variant.Failed), number(variant.OperationsPerSecond),
			micros(variant.P99Micros))
	}
	return rows
}

// lines of a comparison; reasons has their messages, which are too long for a column.
func lines(all []benchv1alpha1.ComparisonLine) *present.Table {
	rows := present.NewTable([]string{"VERDICT", "VARIANT", "AGAINST", "STEP", "OPERATION", "METRIC"}, "BASELINE",
		"MEDIAN", "CHANGE", "INTERVAL", "SAMPLES")
	for _, line := range all {
		rows.Add(string(line.Verdict), line.Variant, line.Baseline, present.Or(line.Step), present.Or(line.Operation),
			comparison.Name(line.Metric),
			Quantity(line.Metric, line.BaselineMedian), Quantity(line.Metric, line.Median),
			present.Change(line.EffectBasisPoints),
			present.Interval(line.LowBasisPoints, line.HighBasisPoints), number(line.BaselineSamples)+"/"+number(line.Samples))
	}
	return rows
}

// reasons are the messages of lines that are not Unchanged, each once.
func reasons(all []benchv1alpha1.ComparisonLine) *present.Table {
	rows := present.NewTable([]string{"VARIANT", "VERDICT", "MESSAGE"})
	seen := map[[3]string]bool{}
	for _, line := range all {
		row := [3]string{line.Variant, string(line.Verdict), line.Message}
		if line.Message == "" || line.Verdict == benchv1alpha1.VerdictUnchanged || seen[row] {
			continue
		}
		seen[row] = true
		rows.Add(row[:]...)
	}
	return rows
}

func changePoints(all []benchv1alpha1.ChangePoint) *present.Table {
	rows := present.NewTable([]string{"SINCE REVISION", "VARIANT", "STEP", "OPERATION", "METRIC"}, "CHANGE")
	for _, point := range all {
		rows.Add(point.Revision, point.Variant, present.Or(point.Step), present.Or(point.Operation),
			comparison.Name(point.Metric),
			present.Change(point.EffectBasisPoints))
	}
	return rows
}

func history(all []benchv1alpha1.RevisionStatus) *present.Table {
	rows := present.NewTable([]string{"REVISION", "BEGAN", "COMPLETE", "VERDICT"})
	const layout = "2006-01-02 15:04:05Z"
	for _, revision := range all {
		completed, verdict := present.Unknown, present.Unknown
		if revision.CompletionTime != nil {
			completed = revision.CompletionTime.UTC().Format(layout)
		}
		if revision.Verdict != nil {
			verdict = string(*revision.Verdict)
		}
		rows.Add(revision.Revision, revision.StartTime.UTC().Format(layout), completed, verdict)
	}
	return rows
}
