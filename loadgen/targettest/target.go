package targettest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
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

// Contents is what a collection holds: how many documents, and a sum of their hashes that does not depend on their
// order.
type Contents struct {
	Documents int64
	Sum       uint64
}

// Target is a scripted database. Its fields are the script, and must not change while it is used.
type Target struct {
	// Latency of every operation and insert.
	Latency time.Duration
	// FailEvery lets every n-th operation fail; 0: none, 1: all.
	FailEvery int64
	// Lose is the number of documents that Count does not find.
	Lose int64
	// Forget keeps no requests, for benchmarks.
	Forget bool

	mutex       sync.Mutex
	executed    int64
	requests    map[string]int
	collections map[string]Contents
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

// Collections are the contents of all collections.
func (t *Target) Collections() map[string]Contents {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return maps.Clone(t.collections)
}

// Driver names the script.
func (t *Target) Driver() string {
	return "script v1"
}

// Describe returns a made-up server.
func (t *Target) Describe(context.Context) (reportv1.Server, error) {
	return reportv1.Server{Version: "0.0.1", Topology: "Scripted"}, nil
}

// Prepare empties the collections.
func (t *Target) Prepare(_ context.Context, _ string, collections []planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.collections == nil {
		t.collections = map[string]Contents{}
	}
	for _, collection := range collections {
		t.collections[collection.Name] = Contents{}
	}
	return nil
}

// Create makes the collections that are missing.
func (t *Target) Create(_ context.Context, _ string, collections []planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.collections == nil {
		t.collections = map[string]Contents{}
	}
	for _, collection := range collections {
		t.collections[collection.Name] = t.collections[collection.Name]
	}
	return nil
}

// Index has nothing to do.
func (t *Target) Index(context.Context, string, []planv1.Collection) error {
	return nil
}

// Read finds nothing: the documents are not kept.
func (t *Target) Read(context.Context, string, string, []bson.RawValue) ([]bson.Raw, error) {
	return nil, nil
}

// Traffic is none.
func (t *Target) Traffic() reportv1.Traffic {
	return reportv1.Traffic{}
}

// Count counts what was inserted, less what the script loses.
func (t *Target) Count(_ context.Context, _, collection string) (int64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.collections[collection].Documents - t.Lose, nil
}

// Session opens a handle.
func (t *Target) Session(context.Context, loadgen.Use) (loadgen.Session, error) {
	return &session{target: t}, nil
}

// Classify knows one class.
func (t *Target) Classify(error) string {
	return Class
}

// session is one worker's handle.
type session struct {
	target     *Target
	buffer     []byte
	collection string
	encoded    Contents
}

// Execute remembers the request and does what the script says.
func (s *session) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	failing := s.target.remember(request)
	if err := s.pass(ctx); err != nil {
		return err
	}
	if failing {
		return ErrScripted
	}
	reply.Documents = 1
	return nil
}

// remember notes a request and says whether it is to fail.
func (t *Target) remember(request *workload.Request) bool {
	if t.Forget {
		return false
	}
	hashes := make([]uint64, len(request.Documents))
	for i, document := range request.Documents {
		hashes[i] = hash(document)
	}
	text := fmt.Sprintf("%d %s %s %x %x %x", request.Operation, request.Kind, request.Collection,
		[]byte(request.Filter), []byte(request.Update), hashes)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.requests == nil {
		t.requests = map[string]int{}
	}
	t.requests[text]++
	t.executed++
	return t.FailEvery > 0 && t.executed%t.FailEvery == 0
}

// pass lets the latency pass.
func (s *session) pass(ctx context.Context) error {
	if s.target.Latency == 0 {
		return nil
	}
	timer := time.NewTimer(s.target.Latency)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Settle has nothing to do.
func (s *session) Settle(context.Context) {}

// Encode makes the documents, at most ten to a request, so that a batch needs several.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	const limit = 10
	s.collection, s.encoded = collection, Contents{Documents: min(count, limit)}
	for record := first; record < first+s.encoded.Documents; record++ {
		s.buffer = documents.Append(s.buffer[:0], record)
		s.encoded.Sum += hash(s.buffer)
	}
	return s.encoded.Documents
}

// Client names the script.
func (s *session) Client() string {
	return "script"
}

// Close has nothing to do.
func (s *session) Close() {}

// Pipeline is one batch.
func (s *session) Pipeline() int {
	return 1
}

// Acknowledge has nothing to wait for.
func (s *session) Acknowledge(context.Context) error {
	return nil
}

// Send keeps what was encoded.
func (s *session) Send(ctx context.Context) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	contents := s.target.collections[s.collection]
	contents.Documents += s.encoded.Documents
	contents.Sum += s.encoded.Sum
	s.target.collections[s.collection] = contents
	return nil
}

func hash(document []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(document)
	return h.Sum64()
}
