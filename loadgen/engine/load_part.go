package engine

import (
	"sync/atomic"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// loadPart is this pod's share of one collection. The workers take batches of it as they come along: which worker
// writes a document does not change the document.
type loadPart struct {
	// collection is the name in the database, and of the declared one, which may stand for several.
	collection, of string
	// once says that a document which is written twice is there twice: the _id of a time series is not unique.
	once       bool
	documents  loadgen.Documents
	first, end int64
	next       atomic.Int64
}

// take returns the next batch of record numbers; none when the part is finished.
func (p *loadPart) take(batch int64) (first, count int64) {
	first = p.next.Add(batch) - batch
	return first, max(0, min(batch, p.end-first))
}

// add makes this pod's share of a range of a collection's records a part of the step.
func (l *loadStep) add(collection planv1.Collection, from, to int64) {
	first, count := planv1.Share(to-from, l.pod.Plan.Pods, l.pod.Pod)
	l.total += count
	for first, end := from+first, from+first+count; first < end; {
		part := &loadPart{
			collection: collection.Name, of: collection.Name, once: collection.TimeSeries != nil,
			documents: l.pod.dataset.Generator(collection.Name), first: first, end: end,
		}
		if collection.Copies > 0 {
			at := collection.CopyOf(first)
			before, number := planv1.Share(collection.DocumentCount, int(collection.Copies), int(at))
			part.collection, part.end = collection.NameOf(at), min(end, before+number)
		}
		part.next.Store(part.first)
		l.parts = append(l.parts, part)
		first = part.end
	}
}
