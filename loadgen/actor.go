package loadgen

import (
	"context"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// Actor is a Target that actions can be done to. Steps with actions need one.
type Actor interface {
	// Act carries out an action. Of an action that is the operator's it only finds the member.
	Act(ctx context.Context, database string, action planv1.Action) (Acted, error)
	// Partition waits until the operator has cut the member of an action off, and then ends all that was open to it
	// before, which many networks let go on: the load's own connections and those among the members. The first load pod
	// gives request, which asks the operator to, and is called once what must be open before is; the other pods give nil,
	// and end only what is their own. It is an error that new connections got through for as long as the partition lasts.
	Partition(ctx context.Context, action planv1.Action, member string, request func() error) error
}

// Acted is what came of an action.
type Acted struct {
	// Member that it was done to, empty for the whole target.
	Member string
	// Outcome is what the servers said of it, in words; mostly they say nothing.
	Outcome string
}
