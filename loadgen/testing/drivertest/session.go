package drivertest

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle.
type session struct {
	target *Target
	resume bool
	// unanswered says that an unacknowledged write was sent.
	unanswered bool
	// encoded is the batch that comes next, and sent are those that are on their way.
	encoded batch
	sent    []batch
}

// batch is documents for a collection, and when they will have been written.
type batch struct {
	collection string
	documents  []bson.Raw
	ready      time.Time
}

// Client names the script.
func (s *session) Client() string {
	return "script"
}

// Close is counted.
func (s *session) Close() {
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	s.target.closed++
}

// Execute remembers the request and does what the script says.
func (s *session) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	latency, ok := s.target.Latencies[request.Operation]
	if !ok {
		latency = s.target.Latency
	}
	ready := s.target.serve(latency)
	failing := s.target.remember(request)
	if err := pass(ctx, ready); err != nil {
		return err
	}
	if failing {
		return ErrScripted
	}
	reply.Documents = 1
	if s.target.Silent[request.Operation] {
		*reply, s.unanswered = loadgen.Reply{Unacknowledged: true}, true
	}
	if s.target.Answer != nil {
		s.target.Answer(request, reply)
	}
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
	t.inserted += int64(len(request.Documents))
	return t.FailEvery > 0 && t.executed%t.FailEvery == 0 || t.FailAfter > 0 && t.executed > t.FailAfter
}

// pass lets time pass until an instant.
func pass(ctx context.Context, until time.Time) error {
	if time.Until(until) <= 0 || (alarm.Timer{}).Until(ctx, until) == nil {
		return nil
	}
	return ctx.Err()
}

// Unacknowledged is what the script says.
func (s *session) Unacknowledged(operation int) bool {
	return s.target.Silent[operation]
}

// Drain takes the time that the script says.
func (s *session) Drain(ctx context.Context) error {
	if !s.unanswered {
		return nil
	}
	s.unanswered = false
	if pass(ctx, time.Now().Add(s.target.Backlog)) != nil {
		return context.Cause(ctx)
	}
	if s.target.FailDrain == nil {
		return nil
	}
	return s.target.FailDrain()
}

// Estimate counts the documents of the inserts that were sent, whatever the collection.
func (t *Target) Estimate(context.Context, string, string) (int64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.inserted < t.Refused {
		return t.inserted, nil
	}
	return t.inserted - t.Refused, nil
}

// Kill counts the cursors that are closed.
func (s *session) Kill(context.Context, *workload.Request, int64) {
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	s.target.killed++
}

// Killed is how many cursors were closed that recorded commands had left open.
func (t *Target) Killed() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.killed
}

// Settle has nothing to do.
func (s *session) Settle(context.Context) {}

// Encode makes the documents, at most ten to a request, so that a batch needs several.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	const limit = 10
	s.encoded = batch{collection: collection}
	for record := first; record < first+min(count, limit); record++ {
		s.encoded.documents = append(s.encoded.documents, documents.Append(nil, record))
	}
	return int64(len(s.encoded.documents))
}

// Pipeline is what the script says.
func (s *session) Pipeline() int {
	return max(1, s.target.InFlight)
}

// Send lets the batch go on its way, behind those before it.
func (s *session) Send(context.Context) error {
	b := s.encoded
	b.ready = s.target.finish(s.target.Latency)
	s.sent = append(s.sent, b)
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	s.target.mostInFlight = max(s.target.mostInFlight, len(s.sent))
	return nil
}

// Acknowledge keeps the oldest batch once its time has come.
func (s *session) Acknowledge(ctx context.Context) error {
	if err := pass(ctx, s.sent[0].ready); err != nil {
		return err
	}
	s.target.insert(s.sent[0], s.resume)
	s.sent = s.sent[1:]
	return nil
}

func hash(document []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(document)
	return h.Sum64()
}
