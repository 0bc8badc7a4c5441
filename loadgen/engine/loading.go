package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
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
}

// loadPart is this pod's share of one collection. The workers take batches of it as they come along: which worker
// writes a document does not change the document.
type loadPart struct {
	collection string
	documents  loadgen.Documents
	first, end int64
	next       atomic.Int64
}

// take returns the next batch of record numbers; none when the part is finished.
func (p *loadPart) take(batch int64) (first, count int64) {
	first = p.next.Add(batch) - batch
	return first, max(0, min(batch, p.end-first))
}

func newLoadStep(p *pod, index int) (stepRun, error) {
	step := p.Plan.Steps[index]
	l := &loadStep{pod: p, planned: step}
	if step.To > 0 {
		l.add(p.Plan.Collections[0], step.From, step.To)
		return l, nil
	}
	for _, collection := range p.Plan.Collections {
		l.add(collection, 0, collection.DocumentCount)
	}
	return l, nil
}

// add makes this pod's share of a range of a collection's records a part of the step.
func (l *loadStep) add(collection planv1.Collection, from, to int64) {
	first, count := planv1.Share(to-from, l.pod.Plan.Pods, l.pod.Pod)
	part := &loadPart{
		collection: collection.Name, documents: l.pod.dataset.Generator(collection.Name),
		first: from + first, end: from + first + count,
	}
	part.next.Store(part.first)
	l.parts = append(l.parts, part)
	l.total += count
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
	loaded, err := l.pod.mark.loaded(ctx, l.planned)
	if err != nil {
		return err
	}
	if loaded {
		skip(step)
		return nil
	}
	l.begin = time.Now()
	step.MeasureStart = l.begin
	before, traffic := measure.ReadUsage(), l.pod.Target.Traffic()
	recording := measure.NewRecording([]reportv1.Operation{{Name: loadOperation, Kind: "InsertMany"}}, false, 0)
	l.pod.watch(recording, len(l.sessions), nil)
	group, working := errgroup.WithContext(ctx)
	for _, session := range l.sessions {
		loader := &loader{
			step: l, session: session, recorder: recording.Recorder(), sent: make(chan sentBatch, session.Pipeline()),
		}
		group.Go(func() error { return loader.load(working) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	// Some clients can load without an acknowledgement, and what comes next rests on the load.
	if err := drainSessions(ctx, l.sessions); err != nil {
		return err
	}
	step.End = time.Now()
	step.Generator = measure.ReadUsage().Since(before)
	step.Traffic = measure.TrafficSince(l.pod.Target.Traffic(), traffic)
	step.Threads, step.Client = len(l.sessions), l.sessions[0].Client()
	step.Documents = l.written.Load()
	step.Operations, err = recording.Operations()
	step.IntervalMillis = recording.IntervalMillis()
	return err
}

func (l *loadStep) done() advance {
	written := l.written.Load()
	return advance{count: written, percent: int(written * 100 / max(1, l.total))}
}

// loader is one worker of a Load. While batches are on their way it encodes the next one:
//
//	encode 1, send 1, encode 2, send 2, encode 3, acknowledge 1, send 3, encode 4, acknowledge 2, ...
//	                                    └ with a pipeline of two batches
type loader struct {
	step     *loadStep
	session  loadgen.Session
	recorder *measure.Recorder
	// sent are the batches that are on their way, the oldest first.
	sent chan sentBatch
}

// sentBatch is a batch that was not acknowledged yet.
type sentBatch struct {
	collection   string
	first, count int64
	at           time.Time
}

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
		batch := sentBatch{collection: part.collection, first: first}
		batch.count = l.session.Encode(part.collection, part.documents, first, count)
		if len(l.sent) == cap(l.sent) {
			if err := l.acknowledge(ctx); err != nil {
				return err
			}
		}
		batch.at = time.Now()
		if err := l.session.Send(ctx); err != nil {
			return batch.failed(err)
		}
		l.sent <- batch
		if cap(l.sent) == 1 {
			// Of a session that takes one batch at a time the reply has come by now, and its time is not to hold an encoding.
			if err := l.acknowledge(ctx); err != nil {
				return err
			}
		}
		first, count = first+batch.count, count-batch.count
	}
	return nil
}

// acknowledge waits for the oldest batch.
func (l *loader) acknowledge(ctx context.Context) error {
	batch := <-l.sent
	if err := l.session.Acknowledge(ctx); err != nil {
		return batch.failed(err)
	}
	reply := time.Now()
	l.recorder.Success(0, measure.Sample{
		At: reply.Sub(l.step.begin), Service: reply.Sub(batch.at), Documents: batch.count,
	})
	l.step.written.Add(batch.count)
	return nil
}

func (b sentBatch) failed(err error) error {
	last := b.first + b.count - 1
	return fmt.Errorf("loading collection %q: inserting records %d to %d: %w", b.collection, b.first, last, err)
}
