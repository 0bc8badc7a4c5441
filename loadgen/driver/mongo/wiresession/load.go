package wiresession

import (
	"context"
	"slices"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
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
	batches [wirePipeline]command.Buffer
	turn    int
	// outstanding is how many were sent and not acknowledged.
	outstanding int
}

// Pipeline is how many batches may be under way.
func (s *Session) Pipeline() int {
	return wirePipeline
}

// Encode writes one insert of as many documents as it may hold, each straight into the message.
func (s *Session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	c := &s.load.batches[s.load.turn]
	c.Lead, c.Trailer = wire.Lead, s.plain
	c.Begin("insert", collection)
	c.Bool("ordered", s.load.ordered)
	c.Document("writeConcern", s.build.Loading)
	c.End()
	start, request := wire.BeginSequence(c.Bytes, "documents")
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
	c.Bytes = request
	return encoded
}

// limits are those of the server that the session is connected to, or those of every server while it is not.
func (s *Session) limits() (maxBytes int, maxDocuments int64) {
	if s.conn == nil {
		return command.MaxBatchBytes, command.MaxBatchDocuments
	}
	hello := s.conn.Hello()
	return hello.MaxMessageBytes, int64(hello.MaxBatch)
}

// Send sends what Encode wrote, without waiting for the reply.
func (s *Session) Send(ctx context.Context) error {
	s.held.Enter(ctx)
	return s.held.Leave(ctx, s.send(ctx))
}

func (s *Session) send(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if err := s.conn.Send(s.load.batches[s.load.turn].Bytes); err != nil {
		return s.failed(err)
	}
	s.load.turn = (s.load.turn + 1) % wirePipeline
	s.load.outstanding++
	return nil
}

// Acknowledge waits for the reply to the oldest batch that has none.
func (s *Session) Acknowledge(ctx context.Context) error {
	if s.load.outstanding == 0 {
		return wire.ErrNothingSent
	}
	s.load.outstanding--
	s.held.Enter(ctx)
	_, err := s.judge(s.conn.Receive())
	if s.load.resume && errorclass.OnlyThereAlready(err) {
		err = nil
	}
	return s.held.Leave(ctx, err)
}
