package drivertest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// ErrScripted is the failure of an operation that the script wants to fail.
var ErrScripted = errors.New("the script says no to mongodb://name:secret@host")

// Class is the class of every error.
const Class = "server"

// What went over the connections, by the script, with each operation and batch.
const (
	BytesIn  = 30
	BytesOut = 100
)

// Target is a scripted database. Its fields are the script, and must not change while it is used.
type Target struct {
	// Latency of every operation and batch; Latencies are those of single operations, by their index in the mix.
	Latency   time.Duration
	Latencies map[int]time.Duration
	// Places is how many operations it serves at a time, in the order in which they come; 0: all. It does not go together
	// with StallFor.
	Places int
	// StallEvery and StallFor let the database stand still at the end of every so much time, counted from the first
	// operation. What is under way then takes longer by that.
	StallEvery, StallFor time.Duration
	// FailEvery lets every n-th operation fail; 0: none, 1: all.
	FailEvery int64
	// FailAfter lets every operation fail after so many of them, as in an outage without an end; 0: none.
	FailAfter int64
	// FailSession lets the n-th session that is opened fail, counted from 1; 0: none.
	FailSession int
	// Answer, when it is set, completes the reply of an operation that has succeeded.
	Answer func(request *workload.Request, reply *loadgen.Reply)
	// Silent are the operations, by their index in the mix, that are not acknowledged. Backlog is how long it takes until
	// what was sent so is taken in, FailDrain says why that is unknown, and Refused how many documents of it never come.
	Silent    map[int]bool
	Backlog   time.Duration
	FailDrain func() error
	Refused   int64
	// InFlight is the pipeline of batches; 0 means one.
	InFlight int
	// Lose is the number of documents that Count does not find.
	Lose int64
	// Keep keeps the documents, so that Read finds them; Spoil, when it is set, is what Read makes of each: nil for one
	// that is gone.
	Keep  bool
	Spoil func(document bson.Raw) bson.Raw
	// Foreign are collections that the database holds and the test did not make.
	Foreign []string
	// RefuseClaim, when it is set, may refuse to write the claim.
	RefuseClaim func() error
	// Forget keeps no requests, for benchmarks.
	Forget bool

	mutex          sync.Mutex
	began          time.Time
	free           []time.Time
	executed       int64
	inserted       int64
	batches        int64
	opened, closed int
	killed         int
	mostInFlight   int
	requests       map[string]int
	collections    map[string]Contents
	documents      map[string]map[string]bson.Raw
	indexed        []string
	marks          []reportv1.DatasetMark
	claim          *loadgen.Claim
}

// Requests are the requests that were sent, with how often.
func (t *Target) Requests() map[string]int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return maps.Clone(t.requests)
}

// Executed is the number of operations that were sent.
func (t *Target) Executed() int64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.executed
}

// Sessions are how many were opened, and how many of these were closed.
func (t *Target) Sessions() (opened, closed int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.opened, t.closed
}

// MostInFlight is the largest number of batches of one session that were sent and not acknowledged.
func (t *Target) MostInFlight() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.mostInFlight
}

// Driver names the script.
func (t *Target) Driver() string {
	return "script v1"
}

// Describe returns a made-up server.
func (t *Target) Describe(context.Context) (reportv1.Server, error) {
	return reportv1.Server{Version: "0.0.1", Topology: "Scripted"}, nil
}

// Traffic is as much as the script says with every operation and batch.
func (t *Target) Traffic() reportv1.Traffic {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	sent := t.executed + t.batches
	return reportv1.Traffic{BytesIn: sent * BytesIn, BytesOut: sent * BytesOut}
}

// Session opens a handle.
func (t *Target) Session(_ context.Context, use loadgen.Use) (loadgen.Session, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.opened+1 == t.FailSession {
		return nil, ErrScripted
	}
	t.opened++
	return &session{target: t, resume: use.Resume}, nil
}

// Classify knows one class.
func (t *Target) Classify(error) string {
	return Class
}

// serve is when an operation that takes so long will be ready.
func (t *Target) serve(takes time.Duration) time.Time {
	if t.Places == 0 {
		return t.finish(takes)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.free == nil {
		t.free = make([]time.Time, t.Places)
	}
	first := 0
	for place := range t.free {
		if t.free[place].Before(t.free[first]) {
			first = place
		}
	}
	begin := time.Now()
	if t.free[first].After(begin) {
		begin = t.free[first]
	}
	t.free[first] = begin.Add(takes)
	return t.free[first]
}

// finish is when something that takes so long will be ready; the zero time is at once.
func (t *Target) finish(takes time.Duration) time.Time {
	if takes == 0 && t.StallFor == 0 {
		return time.Time{}
	}
	now := time.Now()
	if t.StallFor == 0 {
		return now.Add(takes)
	}
	t.mutex.Lock()
	if t.began.IsZero() {
		t.began = now
	}
	phase := now.Sub(t.began) % t.StallEvery
	t.mutex.Unlock()
	running := t.StallEvery - t.StallFor
	if phase >= running {
		now, phase = now.Add(t.StallEvery-phase), 0
	}
	for takes > running-phase {
		takes -= running - phase
		now, phase = now.Add(t.StallEvery-phase), 0
	}
	return now.Add(takes)
}

// Contents is what a collection holds: how many documents, and a sum of their hashes that does not depend on their
// order.
type Contents struct {
	Documents int64
	Sum       uint64
}

// Collections are the contents of all collections.
func (t *Target) Collections() map[string]Contents {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return maps.Clone(t.collections)
}

// Indexed are the collections that indexes were made of, in this order.
func (t *Target) Indexed() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.indexed)
}

// Prepare empties the collection.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	t.mutex.Lock()
	delete(t.collections, collection.Name)
	delete(t.documents, collection.Name)
	t.mutex.Unlock()
	return t.Create(ctx, database, collection)
}

// Create makes a collection that is missing.
func (t *Target) Create(_ context.Context, _ string, collection planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.collections == nil {
		t.collections, t.documents = map[string]Contents{}, map[string]map[string]bson.Raw{}
	}
	if t.documents[collection.Name] == nil {
		t.collections[collection.Name] = Contents{}
		t.documents[collection.Name] = map[string]bson.Raw{}
	}
	return nil
}

// Index remembers which collection it was told.
func (t *Target) Index(_ context.Context, _ string, collection planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.indexed = append(t.indexed, collection.Name)
	return nil
}

// Count counts what was inserted, less what the script loses.
func (t *Target) Count(_ context.Context, _, collection string) (int64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.collections[collection].Documents - t.Lose, nil
}

// Read finds the documents that were kept.
func (t *Target) Read(_ context.Context, _, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var found []bson.Raw
	for _, id := range ids {
		document := t.documents[collection][id.String()]
		if document != nil && t.Spoil != nil {
			document = t.Spoil(document)
		}
		if document != nil {
			found = append(found, document)
		}
	}
	return found, nil
}

// insert adds a batch to a collection. Documents that are there already are left out when that is allowed, and else
// counted twice.
func (t *Target) insert(b batch, resume bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.batches++
	contents := t.collections[b.collection]
	for _, document := range b.documents {
		if t.Keep {
			id := document.Lookup("_id").String()
			if _, there := t.documents[b.collection][id]; there && resume {
				continue
			}
			t.documents[b.collection][id] = document
		}
		contents.Documents++
		contents.Sum += hash(document)
	}
	t.collections[b.collection] = contents
}

// bytesPerDocument is what every document and every index entry takes, by the script.
const bytesPerDocument = 100

// Marks are the marks that were written, in their order.
func (t *Target) Marks() []reportv1.DatasetMark {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.marks)
}

// Mark is the last that was written.
func (t *Target) Mark(context.Context, string) (*reportv1.DatasetMark, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.marks) == 0 {
		return nil, nil //nolint:nilnil // A database without a mark is no error.
	}
	last := t.marks[len(t.marks)-1]
	return &last, nil
}

// SetMark remembers a mark.
func (t *Target) SetMark(_ context.Context, _ string, mark reportv1.DatasetMark) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.marks = append(t.marks, mark)
	return nil
}

// Holds are the names of the collections that were made, and of Foreign ones.
func (t *Target) Holds(context.Context, string) ([]string, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return append(slices.Sorted(maps.Keys(t.collections)), t.Foreign...), nil
}

// Sizes are as much as the script says for every document, on one shard.
func (t *Target) Sizes(
	_ context.Context, _ string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	sizes := make([]reportv1.CollectionSize, 0, len(collections))
	for _, collection := range collections {
		documents := t.collections[collection.Name].Documents
		sizes = append(sizes, reportv1.CollectionSize{
			Collection: collection.Name, Documents: documents,
			DataBytes: documents * bytesPerDocument, StorageBytes: documents * bytesPerDocument / 2,
			Indexes: []reportv1.IndexSize{{Name: "_id_", Bytes: documents}},
		})
	}
	return sizes, nil
}

// Balancing is never going on.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
