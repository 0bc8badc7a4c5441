package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// errEnded is of a change stream that the server ended without saying why, as it does when its collection is dropped.
var errEnded = errors.New("the change stream was ended")

// arrival is what came until a document did.
type arrival struct {
	changes int64
	err     error
}

// Follow calls insert for the document of an InsertThenWatch, and waits until the operation's change stream brings it.
// The stream is asked all the while, as by a consumer of its own, which is there before the insert. The time of the
// operation begins with the acknowledgement, and both ends of it are by the clock here: a change that comes before its
// insert is acknowledged took none.
func (s *Readers) Follow(ctx context.Context, r *workload.Request, reply *loadgen.Reply, insert func() error) error {
	id, err := r.Documents[0].LookupErr("_id")
	if err != nil {
		return errors.New("the document cannot be known again: it has no _id")
	}
	if s.open[r.Operation] == nil {
		opened, err := s.Open(ctx, r)
		if err != nil {
			return err
		}
		s.open[r.Operation] = opened
	}
	current := s.open[r.Operation]
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(s.Timeout, cancel)
	arrived := make(chan arrival, 1)
	go func() { arrived <- s.seek(following, current, id) }()
	err = insert()
	acknowledged := time.Now()
	if err != nil {
		cancel()
	}
	came := <-arrived
	inTime := late.Stop()
	reply.Documents += came.changes
	switch {
	case err == nil && came.err == nil:
		reply.Since = acknowledged
		return nil
	case err == nil && !inTime && ctx.Err() == nil:
		err = fmt.Errorf("the change stream did not bring the document within %s: %w", s.Timeout, context.DeadlineExceeded)
	case err == nil:
		err = came.err
	}
	s.drop(ctx, r.Operation)
	return err
}

// seek takes what a change stream brings until the change of the document with an _id.
func (s *Readers) seek(ctx context.Context, current Feed, id bson.RawValue) (came arrival) {
	stream, able := current.(*Stream)
	if !able {
		came.err = errors.New("only a change stream brings what was inserted")
		return came
	}
	for came.err == nil {
		if !stream.TryNext(ctx) {
			came.err = stream.ended(ctx)
			continue
		}
		came.changes++
		if s.Take != nil {
			came.err = s.Take(current)
		}
		if stream.Current.Lookup("documentKey", "_id").Equal(id) {
			return came
		}
	}
	return came
}

// ended says why there is nothing more to come after a change that did not; nil if there is.
func (s *Stream) ended(ctx context.Context) error {
	err := errors.Join(s.Err(), ctx.Err())
	if err == nil && s.ID() == 0 {
		return errEnded
	}
	return err
}
