package show

import (
	"fmt"
	"io"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Suite describes a suite: its variants, how they compare, and its history.
func Suite(to io.Writer, paint Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	status := suite.Status
	head := newTable(false, "Suite:", suite.Namespace+"/"+suite.Name)
	head.add("Verdict:", Verdict(suite))
	head.add("Revision:", or(status.Revision))
	if counts := status.Runs; counts != nil {
		head.add("Runs:", fmt.Sprintf("%s planned, %s active, %s succeeded, %s failed, %s of them in doubt",
			number(counts.Planned), number(counts.Active), number(counts.Succeeded), number(counts.Failed),
			number(counts.Untrusted)))
	}
	if status.Result != nil {
		head.add("Result:", status.Result.ConfigMapName)
	}
	if status.OmittedLines != nil && *status.OmittedLines > 0 {
		head.add("Omitted:", number(status.OmittedLines)+" lines of the comparison; kubectl mongobench report has all")
	}
	return write(to, paint, []part{
		{"", head},
		{"Conditions", conditions(paint, status.Conditions)},
		{whatToDo, remedies(paint, status.Conditions)},
		{"Variants", variants(paint, status.Variants)},
		{"Comparison", lines(paint, status.Comparison)},
		{"Why", reasons(paint, status.Comparison)},
		{"Change points", changePoints(paint, status.ChangePoints)},
		{"History", history(paint, status.History)},
	})
}

func variants(paint Paint, all []benchv1alpha1.VariantStatus) *table {
	rows := newTable(paint, "VARIANT", "SUCCEEDED", "FAILED", "OPS/S", "P99").
		numbers("SUCCEEDED", "FAILED", "OPS/S", "P99")
	for _, variant := range all {
		rows.add(variant.Name, number(variant.Succeeded), number(variant.Failed), number(variant.OperationsPerSecond),
			micros(variant.P99Micros))
	}
	return rows
}

// lines of a comparison; reasons has their messages, which are too long for a column.
func lines(paint Paint, all []benchv1alpha1.ComparisonLine) *table {
	rows := newTable(paint, "VERDICT", "VARIANT", "AGAINST", "STEP", "OPERATION", "METRIC", "BASELINE", "MEDIAN", "CHANGE",
		"INTERVAL", "SAMPLES").numbers("BASELINE", "MEDIAN", "CHANGE", "INTERVAL", "SAMPLES")
	for _, line := range all {
		rows.add(string(line.Verdict), line.Variant, line.Baseline, or(line.Step), or(line.Operation), string(line.Metric),
			InUnit(line.Metric, line.BaselineMedian), InUnit(line.Metric, line.Median), percent(line.EffectBasisPoints),
			between(line.LowBasisPoints, line.HighBasisPoints), number(line.BaselineSamples)+"/"+number(line.Samples))
	}
	return rows
}

// reasons are the messages of lines that are not Unchanged, each once.
func reasons(paint Paint, all []benchv1alpha1.ComparisonLine) *table {
	rows := newTable(paint, "VARIANT", "VERDICT", "MESSAGE")
	seen := map[[3]string]bool{}
	for _, line := range all {
		row := [3]string{line.Variant, string(line.Verdict), line.Message}
		if line.Message == "" || line.Verdict == benchv1alpha1.VerdictUnchanged || seen[row] {
			continue
		}
		seen[row] = true
		rows.add(row[:]...)
	}
	return rows
}

func changePoints(paint Paint, all []benchv1alpha1.ChangePoint) *table {
	rows := newTable(paint, "SINCE REVISION", "VARIANT", "STEP", "OPERATION", "METRIC", "CHANGE").numbers("CHANGE")
	for _, point := range all {
		rows.add(point.Revision, point.Variant, or(point.Step), or(point.Operation), string(point.Metric),
			percent(point.EffectBasisPoints))
	}
	return rows
}

func history(paint Paint, all []benchv1alpha1.RevisionStatus) *table {
	rows := newTable(paint, "REVISION", "BEGAN", "COMPLETE", "VERDICT")
	const layout = "2006-01-02 15:04:05Z"
	for _, revision := range all {
		completed, verdict := unknown, unknown
		if revision.CompletionTime != nil {
			completed = revision.CompletionTime.UTC().Format(layout)
		}
		if revision.Verdict != nil {
			verdict = string(*revision.Verdict)
		}
		rows.add(revision.Revision, revision.StartTime.UTC().Format(layout), completed, verdict)
	}
	return rows
}

// SuiteEnd writes what a suite came to: its variants and how they compare.
func SuiteEnd(to io.Writer, paint Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	return write(to, paint, []part{
		{"Variants", variants(paint, suite.Status.Variants)},
		{"Comparison", lines(paint, suite.Status.Comparison)},
		{"Why", reasons(paint, suite.Status.Comparison)},
	})
}
