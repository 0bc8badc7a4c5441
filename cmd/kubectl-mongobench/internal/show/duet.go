package show

import (
	"fmt"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// comparedWith says what a run was measured in turns with, and in how many windows; empty without a duet.
func comparedWith(duet *benchv1alpha1.DuetResult) string {
	if duet == nil {
		return ""
	}
	text := duet.Baseline
	if server := duet.Server; server != nil {
		text += fmt.Sprintf(" (%s %s)", present.Or(server.Product), present.Or(server.Version))
	}
	if duet.Windows == nil {
		return text
	}
	text += ", in turns: " + present.Plural(int64(*duet.Windows), "window")
	if duet.ElapsedMillis != nil {
		text += " in " + present.Millis(*duet.ElapsedMillis)
	}
	if disturbed := ptr.Deref(duet.DisturbedWindows, 0); disturbed > 0 {
		text += fmt.Sprintf(", %s of them disturbed", present.Count(int64(disturbed)))
	}
	return text
}

// duet shows how a run compares with what it was measured in turns with.
func duet(text *present.Document, duet *benchv1alpha1.DuetResult) {
	if duet == nil {
		return
	}
	rows := present.NewTable([]string{"VERDICT", "STEP", "OPERATION", "METRIC"}, "BASELINE", "CANDIDATE", "CHANGE",
		"INTERVAL", "PAIRS")
	for _, line := range duet.Comparison {
		texts := TextsOf(line)
		rows.Add(verdictOf(line), present.Or(line.Step), present.Or(line.Operation), comparison.Name(line.Metric),
			texts.BaselineText, texts.MedianText, texts.ChangeText, texts.IntervalText, number(line.Samples))
	}
	text.Part("Compared with "+duet.Baseline+", in turns", rows)
	if omitted := ptr.Deref(duet.OmittedLines, 0); omitted > 0 {
		text.Line("%s omitted; kubectl mongobench report has all", present.Plural(int64(omitted), "line"))
	}
	text.Part("Why", reasons(duet.Comparison))
}
