package junit

import (
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// compared are the lines of a run that was measured in turns with a baseline: one that regressed has failed, and what
// is not known, as of a run in doubt, is skipped.
func compared(run string, duet *reportv1.Duet, doubts []string) []testCase {
	if duet == nil {
		return nil
	}
	var cases []testCase
	for _, step := range duet.Steps {
		for _, line := range step.Lines {
			of := testCase{Class: run, Name: "compared " + step.Name + " " + output.LineName(line)}
			verdict := string(line.Verdict)
			text := fmt.Sprintf("%s: %s (%s), by %s of windows, in %s", verdict, present.Change(line.EffectBasisPoints),
				present.Interval(line.LowBasisPoints, line.HighBasisPoints), present.Plural(int64(line.Pairs), "pair"),
				output.After(step, line).Text)
			switch {
			case len(doubts) > 0:
				named := strings.Join(present.First(doubts, mostNamed, "%d more"), ", ")
				of.Skipped = because(untrusted, "measured, and not to be trusted: "+named, text)
			case line.Verdict == benchv1alpha1.VerdictRegressed:
				of.Failure = because(verdict, text)
			case comparison.Shown(line.Verdict):
				of.Out = remark(text)
			default:
				of.Skipped = because(verdict, text)
			}
			cases = append(cases, of)
		}
	}
	return cases
}
