package loadgen

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// loadOperation is the name under which the report has the inserts of a Load.
const loadOperation = "load"

// loadStep writes this pod's share of every collection.
type loadStep struct {
	engine   *Engine
	planned  planv1.Step
	parts    []*loadPart
	sessions []Session
	begin    time.Time
	total    int64
	written  atomic.Int64
}

// loadPart is this pod's share of one collection. The workers take batches of it as they come along: which worker
// writes a document does not change the document.
type loadPart struct {
	collection string
	documents  Documents
	first, end int64
	next       atomic.Int64
}

// take returns the next batch of record numbers; none when the part is finished.
func (p *loadPart) take(batch int64) (first, count int64) {
	first = p.next.Add(batch) - batch
	return first, max(0, min(batch, p.end-first))
}

func (e *Engine) newLoadStep(step planv1.Step) *loadStep {
	l := &loadStep{engine: e, planned: step}
	for _, collection := range e.Plan.Collections {
		first, count := planv1.Share(collection.DocumentCount, e.Plan.Pods, e.Pod)
		part := &loadPart{
			collection: collection.Name, documents: e.compiled.dataset.Generator(collection.Name),
			first: first, end: first + count,
		}
		part.next.Store(first)
		l.parts = append(l.parts, part)
		l.total += count
	}
	return l
}

func (l *loadStep) ready(ctx context.Context) error {
	_, workers := planv1.Share(int64(l.planned.Threads), l.engine.Plan.Pods, l.engine.Pod)
	// A pod has documents to write even when there are more pods than threads.
	sessions, err := l.engine.sessions(ctx, int(max(1, workers)), l.planned)
	l.sessions = sessions
	return err
}

func (l *loadStep) run(ctx context.Context, step *reportv1.Step) error {
	l.begin = step.Start
	before := measure.ReadUsage()
	recording := measure.NewRecording([]reportv1.Operation{{Name: loadOperation, Kind: "InsertMany"}}, false, 0)
	group, working := errgroup.WithContext(ctx)
	for _, session := range l.sessions {
		recorder := recording.Recorder()
		group.Go(func() error {
			for _, part := range l.parts {
				if err := l.write(working, session, part, recorder); err != nil {
					return fmt.Errorf("loading collection %q: %w", part.collection, err)
				}
			}
			return nil
		})
	}
	err := group.Wait()
	for _, session := range l.sessions {
		session.Close()
	}
	if err != nil {
		return err
	}
	step.End = time.Now()
	step.Generator = measure.ReadUsage().Since(before)
	step.Threads, step.Client = len(l.sessions), l.sessions[0].Client()
	step.Documents = l.written.Load()
	step.Operations, err = recording.Operations()
	step.IntervalMillis = recording.IntervalMillis()
	return err
}

// write takes batches of a part until there are none. A batch that does not fit into one request is written by several.
func (l *loadStep) write(ctx context.Context, session Session, part *loadPart, recorder *measure.Recorder) error {
	for {
		first, count := part.take(int64(l.planned.BatchDocuments))
		if count == 0 {
			return nil
		}
		for count > 0 {
			encoded := session.Encode(part.collection, part.documents, first, count)
			sent := time.Now()
			if err := insert(ctx, session); err != nil {
				return fmt.Errorf("inserting records %d to %d: %w", first, first+encoded-1, err)
			}
			reply := time.Now()
			recorder.Success(0, measure.Sample{At: reply.Sub(l.begin), Service: reply.Sub(sent), Documents: encoded})
			l.written.Add(encoded)
			first, count = first+encoded, count-encoded
		}
	}
}

// insert sends one batch and waits for its reply.
func insert(ctx context.Context, session Session) error {
	if err := session.Send(ctx); err != nil {
		return err
	}
	return session.Acknowledge(ctx)
}

func (l *loadStep) done() advance {
	written := l.written.Load()
	return advance{count: written, percent: int(written * 100 / max(1, l.total))}
}
