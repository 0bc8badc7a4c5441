package engine

import (
	"context"
	"errors"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// flowing carries out the flows of a worker, and records their parts. A flow itself is one operation, which its loop
// records as any other.
type flowing struct {
	worker *worker
	frame  *workload.Frame
	// ctx is that of the flow under way.
	ctx context.Context
	// number is that of the flow.
	number int64
	// reply is that of the part under way.
	reply loadgen.Reply
	// entered are the parts under way that are flows themselves, the outermost first.
	entered []entered
}

// entered is a part that is a flow, since when, and what the flow around it had been answered until then.
type entered struct {
	since  time.Time
	before loadgen.Reply
}

var errNoTransactions = errors.New("the client has no transactions")

// carryOut carries out the flow that was drawn by a number.
func (f *flowing) carryOut(ctx context.Context, number int64) error {
	f.ctx, f.number, f.entered = ctx, number, f.entered[:0]
	return f.worker.mix.Run(number, &f.worker.request, f.frame, f)
}

// Send sends a request of the flow.
func (f *flowing) Send(request *workload.Request) (workload.Counts, error) {
	w := f.worker
	result := outcome{sent: time.Now()}
	result.err = w.session.Execute(f.ctx, request, &f.reply)
	result.replied = time.Now()
	result.due = result.sent
	w.session.Settle(f.ctx)
	f.record(request, &f.reply, result)
	w.reply.Add(f.reply)
	return workload.Counts{
		Documents: f.reply.Documents, Inserted: f.reply.Inserted, Matched: f.reply.Matched, Modified: f.reply.Modified,
		Deleted: f.reply.Deleted,
	}, result.err
}

// record counts a part, unless the run has ended meanwhile.
func (f *flowing) record(request *workload.Request, reply *loadgen.Reply, result outcome) {
	w := f.worker
	result.number = f.number
	switch {
	case result.err != nil && f.ctx.Err() != nil:
	case w.recorder != nil:
		w.record(request, reply, result, w.origin)
	case w.next != nil && result.err == nil && !result.replied.Before(w.opens):
		w.next.CarriedOver(request.Operation, result.replied.Sub(w.opens))
	}
}

// Transact does what belongs to a transaction.
func (f *flowing) Transact(request *workload.Request, body func() error) error {
	transactor, able := f.worker.session.(loadgen.Transactor)
	if !able {
		return errNoTransactions
	}
	return transactor.Transact(f.ctx, request, &f.worker.reply, body)
}

// Enter begins a part that is a flow.
func (f *flowing) Enter(int) {
	f.entered = append(f.entered, entered{since: time.Now(), before: f.worker.reply})
	f.worker.reply = loadgen.Reply{}
}

// Leave ends it.
func (f *flowing) Leave(request *workload.Request, err error) {
	last := len(f.entered) - 1
	begun := f.entered[last]
	f.entered = f.entered[:last]
	own := f.worker.reply
	f.record(request, &own, outcome{due: begun.since, sent: begun.since, replied: time.Now(), err: err})
	f.worker.reply = begun.before
	f.worker.reply.Add(own)
}

// Check counts whether a check held.
func (f *flowing) Check(operation, check int, held bool) {
	if f.worker.recorder != nil {
		f.worker.recorder.Check(operation, check, held)
	}
}

// classOf names the class of what an operation failed with.
func (w *worker) classOf(err error) string {
	if wrong, ok := errors.AsType[*workload.FlowError](err); ok && wrong != nil {
		return reportv1.ClassFlow
	}
	return w.classify(err)
}
