package sql_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// raw encodes a document of Extended JSON.
func raw(tb testing.TB, text string) bson.Raw {
	tb.Helper()
	var document bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(text), false, &document); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return document
}

// small is a collection of two columns and a unique index.
func small() planv1.Collection {
	return planv1.Collection{
		Name: "things",
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorLong}),
			field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 20}),
			field("code", planv1.Value{Type: benchv1alpha1.GeneratorInt}),
		},
		Indexes: []planv1.Index{{Keys: []planv1.IndexKey{{Field: "code", Order: "1"}}, Unique: true}},
	}
}

// The operations of small, by their index.
const (
	getOne = iota
	insertOne
	updateOne
	deleteOne
)

// smallUse is what a session on small is for.
func smallUse(name string, client benchv1alpha1.Client) loadgen.Use {
	id := []planv1.Parameter{{Name: "id", Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}}
	return loadgen.Use{
		Database: name, Collections: []planv1.Collection{small()}, Client: client,
		Step: planv1.Step{Operations: []planv1.Operation{
			{
				Parameters: id,
				Request:    planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
			},
			{Request: planv1.Request{Kind: "InsertOne", Collection: "things"}},
			{
				Parameters: id,
				Request: planv1.Request{
					Kind: "UpdateOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`,
					Update: `{"$set": {"text": "new"}}`,
				},
			},
			{
				Parameters: id,
				Request:    planv1.Request{Kind: "DeleteOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
			},
		}},
	}
}

// smallSession is a session on small, which is empty.
func smallSession(t *testing.T, target *sql.Target, name string, client benchv1alpha1.Client) loadgen.Session {
	t.Helper()
	use := smallUse(name, client)
	if err := errors.Join(
		target.Prepare(t.Context(), name, use.Collections[0]), target.Index(t.Context(), name, use.Collections[0]),
	); err != nil {
		t.Fatal(err)
	}
	session, err := target.Session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

// request is the one of an operation on a row of small.
func request(tb testing.TB, index int, id string) *workload.Request {
	tb.Helper()
	r := &workload.Request{Operation: index, Collection: "things"}
	switch index {
	case insertOne:
		r.Kind = operation.InsertOne
		r.Documents = []bson.Raw{raw(tb, `{"_id": {"$numberLong": "`+id+`"}, "text": "a", "code": `+id+`}`)}
		return r
	case updateOne:
		r.Kind, r.Update = operation.UpdateOne, raw(tb, `{"$set": {"text": "new"}}`)
	case deleteOne:
		r.Kind = operation.DeleteOne
	default:
		r.Kind = operation.FindOne
	}
	r.Filter = raw(tb, `{"_id": {"$numberLong": "`+id+`"}}`)
	return r
}

// do sends a request and returns how many documents there were.
func do(tb testing.TB, session loadgen.Session, r *workload.Request) (int64, error) {
	tb.Helper()
	var reply loadgen.Reply
	err := session.Execute(tb.Context(), r, &reply)
	session.Settle(tb.Context())
	return reply.Documents, err
}

func TestOperationsDoWhatTheirKindSays(t *testing.T) {
	eachClient(t, func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client) {
		t.Helper()
		name := "kinds_" + strings.ToLower(string(client))
		db := look(t, server, name)
		target := open(t, server.URI())
		session := smallSession(t, target, name, client)
		for i, step := range []struct {
			operation int
			id        string
			want      int64
			state     string
		}{
			{getOne, "1", 0, ""},
			{insertOne, "1", 1, "1a1"},
			{insertOne, "2", 1, "1a1 2a2"},
			{getOne, "2", 1, "1a1 2a2"},
			{updateOne, "2", 1, "1a1 2new2"},
			// What is as it is to be is found all the same.
			{updateOne, "2", 1, "1a1 2new2"},
			{updateOne, "3", 0, "1a1 2new2"},
			{deleteOne, "3", 0, "1a1 2new2"},
			{deleteOne, "1", 1, "2new2"},
		} {
			found, err := do(t, session, request(t, step.operation, step.id))
			if err != nil || found != step.want {
				t.Errorf("step %d: %d documents, error %v; want %d", i, found, err, step.want)
			}
			state := text(t, db, "SELECT COALESCE(GROUP_CONCAT(_id, text, code ORDER BY _id SEPARATOR ' '), '') FROM "+
				name+".things")
			if state != step.state {
				t.Errorf("step %d: the table holds %q, want %q", i, state, step.state)
			}
		}
	})
}

func TestErrorsAreOfTheirClassAndTheSessionGoesOn(t *testing.T) {
	eachClient(t, func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client) {
		t.Helper()
		name := "errors_" + strings.ToLower(string(client))
		db := look(t, server, name)
		must(t, db, "SET GLOBAL innodb_lock_wait_timeout = 1")
		target := open(t, server.URI())
		session := smallSession(t, target, name, client)
		fails := func(operation, id, class string, r *workload.Request) {
			t.Helper()
			_, err := do(t, session, r)
			if err == nil || target.Classify(err) != class {
				t.Errorf("%s of %s: the error is %v, want one of class %q", operation, id, err, class)
			}
		}
		succeeds := func(r *workload.Request) {
			t.Helper()
			if _, err := do(t, session, r); err != nil {
				t.Error(err)
			}
		}
		succeeds(request(t, insertOne, "1"))
		fails("insert", "1", "duplicate key", request(t, insertOne, "1"))
		other := request(t, insertOne, "7")
		other.Documents = []bson.Raw{raw(t, `{"_id": {"$numberLong": "7"}, "text": "a", "code": 1}`)}
		fails("insert of a code that is there", "7", "duplicate key", other)
		other.Documents = []bson.Raw{raw(t, `{"_id": {"$numberLong": "8"}, "text": "longer than twenty bytes", "code": 8}`)}
		fails("insert of a text that does not fit", "8", "server", other)
		other.Documents = []bson.Raw{raw(t, `{"_id": {"$numberLong": "8"}, "text": "a"}`)}
		fails("insert of too few values", "8", "server", other)
		succeeds(request(t, getOne, "1"))

		lock, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		update := "UPDATE " + name + ".things SET text = 'b' WHERE _id = 1" //nolint:gosec // The name is the test's own.
		if _, err := lock.ExecContext(t.Context(), update); err != nil {
			t.Fatal(err)
		}
		fails("update of a locked row", "1", "write conflict", request(t, updateOne, "1"))
		if err := lock.Rollback(); err != nil {
			t.Fatal(err)
		}
		succeeds(request(t, updateOne, "1"))
		must(t, db, "DROP TABLE "+name+".things")
		fails("read of a table that is gone", "1", "server", request(t, getOne, "1"))
	})
}

func TestAnOperationEndsInTimeAndWithItsContext(t *testing.T) {
	for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText} {
		t.Run(string(client), func(t *testing.T) {
			server := mariadbtest.Start(t)
			target := openWith(t, driver.Config{URIs: []string{server.URI()}, OperationTimeout: time.Second})
			session := smallSession(t, target, "stalled", client)
			if _, err := do(t, session, request(t, insertOne, "1")); err != nil {
				t.Fatal(err)
			}
			whileStopped(t, server, func() {
				_, err := do(t, session, request(t, getOne, "1"))
				if err == nil || target.Classify(err) != "timeout" {
					t.Errorf("of a server that stands still the error is %v, want one of class timeout", err)
				}
			})
			findsOne(t, session)
			whileStopped(t, server, func() {
				cause := errors.New("enough")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
				if err := session.Execute(ctx, request(t, getOne, "1"), &loadgen.Reply{}); !errors.Is(err, cause) {
					t.Errorf("the context ended, and the error is %v", err)
				}
			})
			findsOne(t, session)
		})
	}
}

// whileStopped does something while the server stands still.
func whileStopped(t *testing.T, server *mariadbtest.Server, do func()) {
	t.Helper()
	if err := server.Suspend(); err != nil {
		t.Fatal(err)
	}
	do()
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
}

// findsOne says that the session goes on.
func findsOne(t *testing.T, session loadgen.Session) {
	t.Helper()
	if found, err := do(t, session, request(t, getOne, "1")); err != nil || found != 1 {
		t.Errorf("after that %d documents were found, error %v", found, err)
	}
}

// counted is a target that counts what its sessions are given.
type counted struct {
	*sql.Target

	mutex    sync.Mutex
	attempts int64
}

type countedSession struct {
	loadgen.Session

	target *counted
}

func (c *counted) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	session, err := c.Target.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	return &countedSession{session, c}, nil
}

func (s *countedSession) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	s.target.mutex.Lock()
	s.target.attempts++
	s.target.mutex.Unlock()
	return s.Session.Execute(ctx, r, reply)
}

// A server that is killed in the middle fails what was under way, as errors of the network that are counted once each:
// nothing is sent again unseen. What was acknowledged is there when the server is back.
func TestALoadGetsOverAServerThatIsKilled(t *testing.T) {
	for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText} {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			server := mariadbtest.Start(t)
			target := &counted{Target: open(t, server.URI())}
			kinds := operations()
			plan := planOf("killed", client,
				planv1.Step{Name: "closed", Threads: 6, DurationSeconds: 4, Operations: []planv1.Operation{kinds[0], kinds[5]}},
				planv1.Step{
					Name: "open", Threads: 6, DurationSeconds: 4, Arrival: openLoop(4),
					Operations: []planv1.Operation{kinds[0], kinds[5]},
				})
			// Who is to kill gives up when there is nothing left to be killed.
			following, end := context.WithCancel(t.Context())
			killing := make(chan error, 1)
			go func() {
				killing <- errors.Join(killOnce(following, t, server, target), killOnce(following, t, server, target))
			}()
			report, err := follow(t.Context(), target, plan)
			end()
			if err := errors.Join(err, <-killing); err != nil {
				t.Fatal(err)
			}
			checkKilled(t, report.Steps[3:], target)
		})
	}
}

// checkKilled holds what was measured against what was sent and what is there.
func checkKilled(t *testing.T, steps []reportv1.Step, target *counted) {
	t.Helper()
	var sent, acknowledged, failed int64
	for _, step := range steps {
		for _, o := range step.Operations {
			sent += o.Count + o.Errors
			failed += o.Errors
			if o.Count == 0 {
				t.Errorf("%s: no operation %q succeeded", step.Name, o.Name)
			}
			other := func(class reportv1.ErrorClass) bool { return class.Class != "network" }
			if slices.ContainsFunc(o.ErrorClasses, other) {
				t.Errorf("%s: the errors are %+v", step.Name, o.ErrorClasses)
			}
		}
		acknowledged += step.Operations[1].Documents
	}
	if sent != target.attempts || failed == 0 {
		t.Errorf("%d operations were sent, and %d were counted, %d of them as failures", target.attempts, sent, failed)
	}
	found, err := target.Count(t.Context(), "killed", "things")
	if err != nil || found < loaded+acknowledged || found > loaded+acknowledged+failed {
		t.Errorf("%d documents are there, error %v; %d were loaded, %d more acknowledged, and %d operations failed",
			found, err, loaded, acknowledged, failed)
	}
}

// killOnce kills the server once some hundred operations more were sent, and starts it again. That many have to be sent
// before the context ends.
func killOnce(following context.Context, t *testing.T, server *mariadbtest.Server, target *counted) error {
	t.Helper()
	sent := func() int64 {
		target.mutex.Lock()
		defer target.mutex.Unlock()
		return target.attempts
	}
	const more = 400
	for begin := sent(); sent() < begin+more; {
		select {
		case <-following.Done():
			return errors.New("the load ended before the server was killed")
		case <-time.After(10 * time.Millisecond):
		}
	}
	server.Kill()
	return server.Restart(context.WithoutCancel(following))
}
