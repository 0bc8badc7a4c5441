package output

import (
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// addLimits tells what limited a step, what to try, and what else was seen.
func addLimits(facts *present.Facts, limits []reportv1.Limit) {
	for i, limit := range limits {
		text := limitText(limit)
		if i > 0 {
			facts.Add("also seen", text)
			continue
		}
		facts.Add("limited by", text)
		facts.Add("to try", limit.Try)
	}
}

func limitText(limit reportv1.Limit) string {
	text := limit.By + " (" + strings.ToLower(limit.Certainty) + ")"
	if limit.Because != "" {
		text += ": " + limit.Because
	}
	return text
}
