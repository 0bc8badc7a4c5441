package loadgen

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

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
	// Prepare makes the collections, empty, without their indexes. Collections of the same name are dropped.
	Prepare(ctx context.Context, database string, collections []planv1.Collection) error
	// Create makes those of the collections that are missing, without their indexes. What is there stays as it is.
	Create(ctx context.Context, database string, collections []planv1.Collection) error
	// Index makes the indexes of the collections. One that is there already stays.
	Index(ctx context.Context, database string, collections []planv1.Collection) error
	// Count returns the exact number of documents of a collection.
	Count(ctx context.Context, database, collection string) (int64, error)
	// Read returns the stored documents with these values of _id, in any order; what is not there is left out.
	Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error)
	// Session opens one worker's handle, and fails when the database cannot be reached.
	Session(ctx context.Context, use Use) (Session, error)
	// Classify names the class of an error of a Session: one of those that reportv1.ErrorClass lists.
	Classify(err error) string
	// Traffic is what went over all connections since the target was opened.
	Traffic() reportv1.Traffic
}

// Use says what a session is for.
type Use struct {
	Database string
	// Step whose operations, or batches, the session will send.
	Step planv1.Step
	// Client is the plan's.
	Client planv1.Client
	// Resume tells a Load that documents which are there already are not an error.
	Resume bool
}

// Session is one worker's handle to a Target; it is used by one goroutine at a time.
type Session interface {
	// Client names what the session sends by: "wire", or the driver with its version.
	Client() string
	// Execute sends an operation and returns once the last reply that belongs to it has come; the reply, which is the
	// caller's, says what came. The time it takes is what is measured. The request is the caller's again afterwards.
	Execute(ctx context.Context, request *workload.Request, reply *Reply) error
	// Settle does what is left to do after Execute, such as closing a cursor that was not read to its end. It is not
	// measured; what goes wrong in it shows in the next operation.
	Settle(ctx context.Context)
	// Encode makes one batch of the documents of the record numbers from first on, as many of count as fit into a
	// request, and returns how many these are: at least one.
	Encode(collection string, documents Documents, first, count int64) int64
	// Send sends what Encode made. It may return before the batch is acknowledged; then Encode may make another.
	Send(ctx context.Context) error
	// Acknowledge waits for the reply to the oldest batch that was sent and not acknowledged yet.
	Acknowledge(ctx context.Context) error
	// Pipeline is how many batches may be sent and not acknowledged: at least one.
	Pipeline() int
	// Close gives the session's connection back.
	Close()
}

// Reply is what came back of one operation.
type Reply struct {
	// Documents that were returned or written.
	Documents int64
	// First is when the first document, or the first reply of a cursor without one, had come; zero for kinds without a
	// cursor.
	First time.Time
	// Retries is how often the operation was sent once more.
	Retries int
	// Unacknowledged says that there is no time to record: no reply was asked for, or a change stream or tailing cursor
	// was opened first or had no news.
	Unacknowledged bool
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
