package loadgen

import (
	"context"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Through is a service that the operations of measured steps go through on their way to the database. All else, such as
// loading and verifying, goes to the Target itself. Its methods may be called from several goroutines.
type Through interface {
	// Session opens one worker's handle to the service, for a part of a step, and has the service make ready for it.
	Session(ctx context.Context, use Use) (Session, error)
	// Classify names the class of an error of a Session: one of those that reportv1.ErrorClass lists.
	Classify(err error) string
	// Traffic is what went over all connections to the service since it was opened.
	Traffic() reportv1.Traffic
	// PerRequest is how many operations of the database each request to the service comes to: at least one.
	PerRequest() int
	// Look begins to watch what the service uses; the returned function ends that, and says what was seen of each of its
	// processes. Each takes some seconds at most, and nothing that they cannot see ends a run.
	Look(ctx context.Context) (seen func(ctx context.Context) []reportv1.Gateway)
}
