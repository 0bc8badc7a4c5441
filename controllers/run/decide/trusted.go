package decide

import (
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// trusted says whether the numbers may be believed: the reason is that of the first doubt, the message tells them all.
func trusted(c *condition.Setter, doubts []result.Doubt) {
	if len(doubts) == 0 {
		c.True(benchv1alpha1.RunTrusted, benchv1alpha1.ReasonNoConcern, "none of the checks found a reason for doubt")
		return
	}
	messages := make([]string, 0, len(doubts))
	for _, doubt := range doubts {
		messages = append(messages, doubt.Reason+": "+doubt.Message)
	}
	c.False(benchv1alpha1.RunTrusted, doubts[0].Reason, short(strings.Join(messages, "; ")))
}
