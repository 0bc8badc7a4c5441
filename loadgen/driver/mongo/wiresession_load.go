package mongo

import (
	"context"
	"errors"
	"slices"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const (
	// wirePipeline is how many batches are under way: while the server writes one, the next is made and sent.
	wirePipeline = 2
	// sampleDocuments is after how many documents the size of a batch is guessed.
	sampleDocuments = 16
)

// wireLoad is what a Load needs of a session.
type wireLoad struct {
	ordered, resume bool
	// batches are used in turn; turn is the one to be encoded or sent next.
	batches [wirePipeline]command
	turn    int
	// outstanding is how many were sent and not acknowledged.
	outstanding int
}

// errNothingSent is a mistake of the caller's: there is no batch, or it was lost with its connection.
var errNothingSent = errors.New("no batch waits to be acknowledged on this connection")

// Pipeline is how many batches may be under way.
func (s *wireSession) Pipeline() int {
	return wirePipeline
}

// Encode writes one insert of as many documents as it may hold, each straight into the message.
func (s *wireSession) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	c := &s.load.batches[s.load.turn]
	c.lead, c.trailer = wireLead, s.plain
	c.begin("insert", collection)
	c.bool("ordered", s.load.ordered)
	c.document("writeConcern", s.loading)
	c.end()
	start, request := wire.BeginSequence(c.bytes, "documents")
	maxBytes, maxDocuments := s.limits()
	most := min(count, maxDocuments)
	begin := len(request)
	var encoded int64
	for encoded < most {
		if encoded == sampleDocuments {
			// Growing by doubling would take up to twice of what is needed.
			each := int64(len(request)-begin)/sampleDocuments + 1
			request = slices.Grow(request, int(min(each*(most-encoded), int64(maxBytes-len(request)))))
		}
		before := len(request)
		request = documents.Append(request, first+encoded)
		if len(request) > maxBytes && encoded > 0 {
			request = request[:before]
			break
		}
		encoded++
	}
	wire.EndSequence(request, start)
	c.bytes = request
	return encoded
}

// limits are those of the server that the session is connected to, or those of every server while it is not.
func (s *wireSession) limits() (maxBytes int, maxDocuments int64) {
	if s.conn == nil {
		return maxBatchBytes, maxBatchDocuments
	}
	hello := s.conn.Hello()
	return hello.MaxMessageBytes, int64(hello.MaxBatch)
}

// Send sends what Encode wrote, without waiting for the reply.
func (s *wireSession) Send(ctx context.Context) error {
	s.enter(ctx)
	return s.leave(ctx, s.send(ctx))
}

func (s *wireSession) send(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if err := s.conn.Send(s.load.batches[s.load.turn].bytes); err != nil {
		return s.failed(err)
	}
	s.load.turn = (s.load.turn + 1) % wirePipeline
	s.load.outstanding++
	return nil
}

// Acknowledge waits for the reply to the oldest batch that has none.
func (s *wireSession) Acknowledge(ctx context.Context) error {
	if s.load.outstanding == 0 {
		return errNothingSent
	}
	s.load.outstanding--
	s.enter(ctx)
	_, err := s.judge(s.conn.Receive())
	if s.load.resume && onlyThereAlready(err) {
		err = nil
	}
	return s.leave(ctx, err)
}
