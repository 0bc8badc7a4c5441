package handlersocket

import (
	"context"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle: a connection to each port that its operations need. After an error of the network the
// next operation reconnects.
type session struct {
	target      *Target
	use         loadgen.Use
	operations  []*boundOperation
	read, write link

	// lines is what is sent.
	lines   []byte
	scratch scratch

	load loading
}

// begin connects. Indexes of a Load are not opened yet: its tables may be made only now.
func (s *session) begin(ctx context.Context) error {
	if s.use.Step.Kind == planv1.StepLoad {
		return s.write.connect(ctx)
	}
	for _, link := range s.links() {
		if len(link.openings) == 0 {
			continue
		}
		if err := link.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) links() []*link {
	return []*link{&s.read, &s.write}
}

// Client says that it is this client.
func (s *session) Client() string {
	return Name
}

// Close ends the connections.
func (s *session) Close() {
	for _, link := range s.links() {
		link.close()
	}
	s.target.mutex.Lock()
	defer s.target.mutex.Unlock()
	delete(s.target.sessions, s)
}

// Settle has nothing to do: a reply is read to its end.
func (s *session) Settle(context.Context) {}

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	if r.Operation >= len(s.operations) {
		return fmt.Errorf("%w: it is operation %d", errRequest, r.Operation)
	}
	o := s.operations[r.Operation]
	var err error
	if s.lines, err = o.appendLines(s.lines[:0], &s.scratch, r); err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	if err := o.link.enter(ctx); err != nil {
		return o.link.leave(ctx, err)
	}
	conn := o.link.conn
	if err := conn.Send(s.lines); err != nil {
		return o.link.leave(ctx, conn.broken(err))
	}
	return o.link.leave(ctx, o.collect(conn, r, reply))
}
