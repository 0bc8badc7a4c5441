package loadgen

import (
	"context"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Target is a database that is measured. Its methods may be called from several goroutines.
type Target interface {
	// Driver names what the database is spoken to with, and its version.
	Driver() string
	// Describe returns what the server says of itself. What may not be asked stays empty.
	Describe(ctx context.Context) (reportv1.Server, error)
	// Prepare makes the collections, empty, with their indexes. Collections of the same name are dropped.
	Prepare(ctx context.Context, database string, collections []planv1.Collection) error
	// Count returns the exact number of documents of a collection.
	Count(ctx context.Context, database, collection string) (int64, error)
	// Session opens one worker's handle, and fails when the database cannot be reached.
	Session(ctx context.Context, database string) (Session, error)
	// Classify names the class of an error of a Session: one of those that reportv1.ErrorClass lists.
	Classify(err error) string
}

// Session is one worker's handle to a Target; it is used by one goroutine at a time.
type Session interface {
	// Execute sends an operation and returns once the last reply that belongs to it has come, with the number of documents
	// that were returned or written. The time it takes is what is measured. The request is the caller's again afterwards.
	Execute(ctx context.Context, request *workload.Request) (documents int64, err error)
	// Settle does what is left to do after Execute, such as closing a cursor that was not read to its end. It is not
	// measured; what goes wrong in it shows in the next operation.
	Settle(ctx context.Context)
	// Encode makes one request of the documents of the record numbers from first on, as many of count as fit into a
	// request, and returns how many these are: at least one.
	Encode(collection string, documents Documents, first, count int64) int64
	// Insert sends what Encode made and returns when it was acknowledged.
	Insert(ctx context.Context) error
}

// Documents makes the documents of a collection, each from its record number alone.
type Documents interface {
	// Append appends the encoded document of a record to dst.
	Append(dst []byte, record int64) []byte
}

// Gate lets the load pods of a run begin a step together.
type Gate interface {
	// Wait returns the instant at which to begin the step with this index of the plan, once it is known. It is called
	// after the pod's Progress said that it waits.
	Wait(ctx context.Context, step int) (time.Time, error)
}

// Reporter takes what a load pod has to say. An error of Progress ends the run only where others wait for it: in the
// states Waiting and Done.
type Reporter interface {
	// Progress is called when a step is reached, every second within it, and at the end; never concurrently.
	Progress(ctx context.Context, progress reportv1.Progress) error
	// Report is called once, when every step has ended.
	Report(ctx context.Context, report reportv1.Report) error
}

// Pacer says when a worker's next operation is due.
type Pacer interface {
	// Next returns the intended start of the operation with this number; a time that has passed means at once. The
	// latency of an operation counts from its intended start.
	Next(number int64, now time.Time) time.Time
}

// ClosedLoop sends every operation as soon as the one before was answered.
type ClosedLoop struct{}

// Next returns now.
func (ClosedLoop) Next(_ int64, now time.Time) time.Time {
	return now
}
