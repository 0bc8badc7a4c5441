package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// loadOperation is the name under which the report has the inserts of a Load.
const loadOperation = "load"

// loadStep writes this pod's share of every collection.
type loadStep struct {
	pod      *pod
	planned  planv1.Step
	parts    []*loadPart
	sessions []loadgen.Session
	begin    time.Time
	total    int64
	written  atomic.Int64
	// resumed are the documents of the total that an earlier load has written.
	resumed     atomic.Int64
	checkpoints *checkpoints
}

func newLoadStep(p *pod, index int) (stepRun, error) {
	step := p.Plan.Steps[index]
	l := &loadStep{pod: p, planned: step, checkpoints: newCheckpoints(p, step.Growing())}
	if step.To > 0 {
		l.add(p.Plan.Collections[0], step.From, step.To)
		return l, nil
	}
	for _, collection := range p.Plan.Stored() {
		l.add(collection, 0, collection.DocumentCount)
	}
	return l, nil
}

// date compiles a plan with dates around the instant at which the load began for this load.
func (l *loadStep) date(ctx context.Context) error {
	if !l.pod.Plan.DatedFromLoad() {
		return nil
	}
	began, err := l.pod.mark.loadBegan(ctx)
	if err != nil {
		return err
	}
	if l.pod.compiled, err = compile(l.pod.Plan.Dated(began), l.pod.data.tables); err != nil {
		return err
	}
	for _, part := range l.parts {
		part.documents = l.pod.dataset.Generator(part.of)
	}
	return nil
}

func (l *loadStep) ready(ctx context.Context) error {
	_, workers := planv1.Share(int64(l.planned.Threads), l.pod.Plan.Pods, l.pod.Pod)
	// A pod has documents to write even when there are more pods than threads.
	sessions, err := l.pod.sessions(ctx, int(max(1, workers)), l.planned)
	l.sessions = sessions
	return err
}

func (l *loadStep) close() {
	closeSessions(l.sessions)
}

func (l *loadStep) run(ctx context.Context, step *reportv1.Step) error {
	// Only now, for pod 0 has prepared the database before the gate opened.
	if err := l.date(ctx); err != nil {
		return err
	}
	loaded, err := l.pod.mark.loaded(ctx, l.planned)
	if err != nil {
		return err
	}
	if loaded {
		skip(step)
		if l.pod.continues() && !l.pod.Replaces.Reused {
			step.Skipped, step.ResumedDocuments = "", l.total
		}
		return nil
	}
	if err := l.leaveOut(ctx); err != nil {
		return err
	}
	l.begin = time.Now()
	step.MeasureStart = l.begin
	before, traffic := measure.ReadUsage(), l.pod.Target.Traffic()
	recording := measure.NewRecording([]reportv1.Operation{{Name: loadOperation, Kind: "InsertMany"}}, false, 0)
	l.pod.watch(measure.Recorded{Recording: recording, Threads: len(l.sessions)})
	loaders := make([]*loader, len(l.sessions))
	for i := range loaders {
		loaders[i] = &loader{step: l, index: i, recorder: recording.Recorder()}
	}
	group, working := errgroup.WithContext(ctx)
	defer l.checkpoints.keep(ctx)()
	for _, loader := range loaders {
		group.Go(func() error { return loader.load(working) })
	}
	err = group.Wait()
	if err == nil {
		// Some clients can load without an acknowledgement, and what comes next rests on the load.
		err = drainSessions(ctx, l.sessions)
	}
	step.End = time.Now()
	step.Generator = measure.ReadUsage().Since(before)
	step.Traffic = measure.TrafficSince(l.pod.Target.Traffic(), traffic)
	step.Threads, step.Client = len(l.sessions), l.sessions[0].Client()
	step.Documents, step.ResumedDocuments = l.written.Load(), l.resumed.Load()
	operations, wrong := recording.Operations()
	step.Operations, step.IntervalMillis = operations, recording.IntervalMillis()
	return errors.Join(err, wrong)
}

func (l *loadStep) done() advance {
	written := l.written.Load()
	return advance{count: written, percent: int((written + l.resumed.Load()) * 100 / max(1, l.total))}
}

// leaveOut takes from the parts what an earlier load was told is there.
func (l *loadStep) leaveOut(ctx context.Context) error {
	done, err := l.checkpoints.read(ctx)
	if err != nil {
		return fmt.Errorf("reading how far the load had come: %w", err)
	}
	var parts []*loadPart
	left := int64(0)
	for _, part := range l.parts {
		whole := reportv1.RecordRange{Collection: part.of, First: part.first, End: part.end}
		for _, gap := range missing(whole, done) {
			if part.once && l.pod.Resume {
				return fmt.Errorf("the load of collection %q cannot be gone on with: the _id of a time-series collection is "+
					"not unique, so that what is written again would be there twice; load anew, without --resume",
					part.collection)
			}
			one := &loadPart{
				collection: part.collection, of: part.of, once: part.once, documents: part.documents,
				first: gap.First, end: gap.End,
			}
			one.next.Store(one.first)
			parts = append(parts, one)
			left += gap.End - gap.First
		}
	}
	l.parts = parts
	l.resumed.Store(l.total - left)
	return nil
}

// loader is one worker of a Load. While batches are on their way it encodes the next one:
//
//	encode 1, send 1, encode 2, send 2, encode 3, acknowledge 1, send 3, encode 4, acknowledge 2, ...
//	                                    └ with a pipeline of two batches
//
// After an error that may pass, what was not acknowledged is sent again over a new connection, on which documents that
// are there already are no error: the server may have taken them in before.
type loader struct {
	step *loadStep
	// index of the loader's session among those of the step.
	index    int
	recorder *measure.Recorder
	// sent are the batches that are on their way, the oldest first.
	sent []sentBatch
}

// sentBatch is a batch that was not acknowledged yet.
type sentBatch struct {
	// collection and of are those of the part.
	collection   string
	of           string
	once         bool
	documents    loadgen.Documents
	first, count int64
	at           time.Time
}

// session is the one that the loader uses at present.
func (l *loader) session() loadgen.Session { return l.step.sessions[l.index] }

// load writes batches of every part until there are none.
func (l *loader) load(ctx context.Context) error {
	for _, part := range l.step.parts {
		for {
			first, count := part.take(int64(l.step.planned.BatchDocuments))
			if count == 0 {
				break
			}
			if err := l.write(ctx, part, first, count); err != nil {
				return err
			}
		}
	}
	for len(l.sent) > 0 {
		if err := l.acknowledge(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes the records of a batch: by several, when they do not fit into one request.
func (l *loader) write(ctx context.Context, part *loadPart, first, count int64) error {
	for count > 0 {
		session := l.session()
		batch := sentBatch{
			collection: part.collection, of: part.of, once: part.once, documents: part.documents, first: first,
		}
		batch.count = session.Encode(part.collection, part.documents, first, count)
		if len(l.sent) == session.Pipeline() {
			if err := l.acknowledge(ctx); err != nil {
				return err
			}
			if l.session() != session {
				// The batch was encoded for another connection.
				continue
			}
		}
		batch.at = time.Now()
		err := session.Send(ctx)
		l.sent = append(l.sent, batch)
		if err != nil {
			err = l.again(ctx, err)
		} else if session.Pipeline() == 1 {
			// Of a session that takes one batch at a time the reply has come by now, and its time is not to hold an encoding.
			err = l.acknowledge(ctx)
		}
		if err != nil {
			return err
		}
		first, count = first+batch.count, count-batch.count
	}
	return nil
}

// acknowledge waits for the oldest batch.
func (l *loader) acknowledge(ctx context.Context) error {
	if err := l.session().Acknowledge(ctx); err != nil {
		return l.again(ctx, err)
	}
	l.acknowledged(l.sent[0])
	l.sent = l.sent[1:]
	return nil
}

// acknowledged counts a batch.
func (l *loader) acknowledged(batch sentBatch) {
	reply := time.Now()
	l.recorder.Success(0, measure.Sample{
		At: reply.Sub(l.step.begin), Service: reply.Sub(batch.at), Documents: batch.count,
	})
	l.step.written.Add(batch.count)
	l.step.checkpoints.add(reportv1.RecordRange{
		Collection: batch.of, First: batch.first, End: batch.first + batch.count,
	})
}

const (
	// loadPatience is how long a batch is tried after its first error.
	loadPatience = 2 * time.Minute
	// loadPause lies between two tries.
	loadPause = time.Second
)

// passing are the classes of errors that may pass.
var passing = []string{"network", "timeout", "not primary", "write conflict", "overload"}

// again sends what was not acknowledged once more, for as long as errors come that may pass.
func (l *loader) again(ctx context.Context, failure error) error {
	began := time.Now()
	for {
		oldest := l.sent[0]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.final(ctx, failure); err != nil {
			return err
		}
		l.step.pod.disturbed.Store(true)
		l.recorder.Failure(0, measure.Sample{At: time.Since(l.step.begin), Service: time.Since(oldest.at)},
			l.step.pod.Target.Classify(failure), failure)
		if tried := time.Since(began); tried >= loadPatience {
			return oldest.failed(fmt.Errorf("tried again for %s: %w", tried.Round(time.Second), failure))
		}
		if err := (alarm.Timer{}).Until(ctx, time.Now().Add(loadPause)); err != nil {
			return err
		}
		if failure = l.resend(ctx); failure == nil {
			return nil
		}
	}
}

// final is the error of what is not to be sent again; nil where it may be.
func (l *loader) final(ctx context.Context, failure error) error {
	oldest := l.sent[0]
	if slices.ContainsFunc(l.sent, func(batch sentBatch) bool { return batch.once }) {
		return oldest.failed(fmt.Errorf("it is not tried again: the _id of a time-series collection is not unique, so that "+
			"what was written before the error would be there twice: %w", failure))
	}
	if slices.Contains(passing, l.step.pod.Target.Classify(failure)) {
		return nil
	}
	return l.explain(ctx, oldest, failure)
}

// resend writes, over a new connection, what was not acknowledged.
func (l *loader) resend(ctx context.Context) error {
	sessions, err := l.step.pod.sessionsAs(ctx, 1, l.step.planned, true)
	if err != nil {
		return err
	}
	session := sessions[0]
	l.session().Close()
	l.step.sessions[l.index] = session
	for len(l.sent) > 0 {
		batch := &l.sent[0]
		part := *batch
		part.count = session.Encode(batch.collection, batch.documents, batch.first, batch.count)
		part.at = time.Now()
		if err := session.Send(ctx); err != nil {
			return err
		}
		if err := session.Acknowledge(ctx); err != nil {
			return err
		}
		l.acknowledged(part)
		if batch.first, batch.count = batch.first+part.count, batch.count-part.count; batch.count == 0 {
			l.sent = l.sent[1:]
		}
	}
	return nil
}

// explain says which document of a batch has a key that another one has. It returns nil when all that are there already
// are those of the batch itself: then there is nothing wrong with sending it again.
func (l *loader) explain(ctx context.Context, batch sentBatch, failure error) error {
	if l.step.pod.Target.Classify(failure) != "duplicate key" {
		return batch.failed(failure)
	}
	p := l.step.pod
	others, record, err := verify.Others(ctx, p.Target, p.Plan.Database, batch.collection,
		verify.Records{Documents: batch.documents, First: batch.first, Count: batch.count})
	if err != nil {
		return batch.failed(errors.Join(failure, err))
	}
	if others == 0 {
		return nil
	}
	return batch.failed(fmt.Errorf("%d of them have the key of another document, the first is record %d; none is "+
		"allowed: %w", others, record, failure))
}

func (b sentBatch) failed(err error) error {
	last := b.first + b.count - 1
	return fmt.Errorf("loading collection %q: inserting records %d to %d: %w", b.collection, b.first, last, err)
}
