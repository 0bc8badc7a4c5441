package decide

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// acknowledgements say what of a comparison is known.
type acknowledgements struct{ *revision }

// acknowledge marks the lines that regressed and are known to, and remarks on them, and on what acknowledges nothing.
// The stored lines stay as they are.
func (r acknowledgements) acknowledge(c *compared) {
	c.result.Lines = slices.Clone(c.result.Lines)
	used := make([]bool, len(r.Suite.Spec.Acknowledged))
	var told []string
	for i := range c.result.Lines {
		line := &c.result.Lines[i]
		said := r.acknowledgeLine(line, used)
		if said != "" {
			told = append(told, said)
		}
		if line.Acknowledged != nil && (c.acknowledgedUntil == nil || line.Acknowledged.Until.Before(c.acknowledgedUntil)) {
			c.acknowledgedUntil = &line.Acknowledged.Until
		}
	}
	for i := range used {
		if !used[i] && len(c.result.Lines) > 0 {
			c.remarks = append(c.remarks, fmt.Sprintf("spec.acknowledged[%d] is about none of the compared lines", i))
		}
	}
	c.remarks = append(c.remarks, present.First(told, maxWorst, "and %d more, see status.comparison")...)
}

// acknowledgeLine marks a line with the acknowledgement that holds for longest, and says what is to be told of it. Used
// are the acknowledgements that are about a line, whatever its verdict.
func (r acknowledgements) acknowledgeLine(line *benchv1alpha1.ComparisonLine, used []bool) (told string) {
	line.Acknowledged = nil
	for i, acknowledged := range r.Suite.Spec.Acknowledged {
		until, err := suite.Until(acknowledged)
		if err != nil || !r.Plan.IsOf(acknowledged, *line) {
			continue
		}
		used[i] = true
		longer := line.Acknowledged == nil || until.After(line.Acknowledged.Until.Time)
		switch {
		case line.Verdict != benchv1alpha1.VerdictRegressed || !longer:
		case !r.Now.Before(until):
			told = "the acknowledgement of " + line.Variant + ": " + string(line.Metric) + " ended at " +
				until.Format(time.RFC3339)
		case !suite.Covers(acknowledged, *line):
			told = fmt.Sprintf("spec.acknowledged[%d] allows for %d %%", i, *acknowledged.MaxEffectPercent)
		default:
			line.Acknowledged = &benchv1alpha1.LineAcknowledgement{
				Reason: acknowledged.Reason, Until: metav1.NewTime(until).Rfc3339Copy(),
			}
		}
	}
	if known := line.Acknowledged; known != nil {
		return fmt.Sprintf("%s, acknowledged until %s: %s", spoken(*line), known.Until.UTC().Format(time.RFC3339),
			known.Reason)
	}
	return told
}

// counted are the lines that decide: all but those that are acknowledged.
func (r compared) counted() []benchv1alpha1.ComparisonLine {
	return slices.DeleteFunc(slices.Clone(r.result.Lines), func(line benchv1alpha1.ComparisonLine) bool {
		return line.Acknowledged != nil
	})
}

// lapsed says whether an acknowledgement has ended since the revision was compared.
func (o *Observation) lapsed() bool {
	until := o.Suite.Status.AcknowledgedUntil
	return until != nil && !o.Now.Before(until.Time)
}
