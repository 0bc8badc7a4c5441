package mongo

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle.
type session struct {
	builder
	database *driver.Database
	read     *options.RunCmdOptionsBuilder
	// cursor is one that was not read to its end.
	cursor *driver.Cursor
}

// Session opens a handle and makes sure that the server answers it.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if err := t.client.Ping(ctx, t.readPreference); err != nil {
		return nil, fmt.Errorf("asking the server for an answer: %w", withoutSecrets(err))
	}
	return &session{
		builder: builder{target: t}, database: t.client.Database(use.Database),
		read: options.RunCmd().SetReadPreference(t.readPreference),
	}, nil
}

// Client names the driver.
func (s *session) Client() string {
	return s.target.Driver()
}

// Close has nothing to do: connections are the driver's.
func (s *session) Close() {}

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	var err error
	reply.Documents, err = s.execute(ctx, r)
	return err
}

func (s *session) execute(ctx context.Context, r *workload.Request) (int64, error) {
	switch r.Kind {
	case workload.InsertOne, workload.InsertMany:
		return s.write(ctx, s.insert(r))
	case workload.UpdateOne, workload.ReplaceOne:
		return s.write(ctx, s.update(r))
	case workload.DeleteOne:
		return s.write(ctx, s.delete(r))
	case workload.FindOne:
		return s.first(ctx, s.findOne(r))
	case workload.ReadModifyWrite:
		if _, err := s.first(ctx, s.findOne(r)); err != nil {
			return 0, err
		}
		return s.write(ctx, s.update(r))
	case workload.CountDocuments:
		return s.first(ctx, s.count(r))
	case workload.Find:
		return s.stream(ctx, s.find(r), r)
	case workload.Aggregate:
		return s.stream(ctx, s.aggregate(r), r)
	case workload.RunCommand:
		_, err := s.database.RunCommand(ctx, r.Command, s.read).Raw()
		return 0, err
	default:
		return 0, fmt.Errorf("the MongoDB driver does not know operations of kind %s", r.Kind)
	}
}

// Settle closes the cursor that was left open.
func (s *session) Settle(ctx context.Context) {
	if s.cursor != nil {
		_ = s.cursor.Close(ctx)
		s.cursor = nil
	}
}

// write sends a command that changes documents, and returns how many.
func (s *session) write(ctx context.Context, command bson.Raw) (int64, error) {
	reply, err := s.database.RunCommand(ctx, command).Raw()
	if err != nil {
		return 0, err
	}
	number, _ := reply.Lookup("n").AsInt64OK()
	return number, nil
}

// first sends a command whose whole answer is the first batch of a cursor, and returns how many documents it has.
func (s *session) first(ctx context.Context, command bson.Raw) (int64, error) {
	reply, err := s.database.RunCommand(ctx, command, s.read).Raw()
	if err != nil {
		return 0, err
	}
	batch, ok := reply.Lookup("cursor", "firstBatch").ArrayOK()
	if !ok {
		return 0, fmt.Errorf("the reply holds no documents: %s", reply)
	}
	documents, err := batch.Values()
	if err != nil {
		return 0, fmt.Errorf("reading the documents of the reply: %w", err)
	}
	return int64(len(documents)), nil
}

// stream sends a command that answers with a cursor, and reads as much of it as the request says.
func (s *session) stream(ctx context.Context, command bson.Raw, r *workload.Request) (int64, error) {
	cursor, err := s.database.RunCommandCursor(ctx, command, s.read)
	if err != nil {
		return 0, err
	}
	s.cursor = cursor
	if r.FirstBatchOnly {
		return int64(cursor.RemainingBatchLength()), nil
	}
	cursor.SetBatchSize(r.BatchSize)
	var documents int64
	for cursor.Next(ctx) {
		documents++
	}
	return documents, cursor.Err()
}
