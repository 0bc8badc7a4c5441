package loadgen

import (
	"context"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Observer looks at the servers of a deployment while the steps of a plan go on. Nothing that it sees, or cannot see,
// ends a run.
type Observer interface {
	// Start begins to observe and returns at once. The observation ends with Stop, or with the context.
	Start(ctx context.Context)
	// Stop ends the observation and returns what was seen of each server.
	Stop() []reportv1.Member
}
