package handlersocket_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
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

// small is a collection of three columns, with a unique index.
func small() planv1.Collection {
	return planv1.Collection{
		Name: "things",
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorLong}),
			field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 1000}),
			field("code", planv1.Value{Type: benchv1alpha1.GeneratorInt}),
		},
		Indexes: []planv1.Index{{Keys: key("code", "1"), Unique: true}},
	}
}

// The operations of small, by their index.
const (
	getOne = iota
	insertMany
	updateOne
	deleteOne
)

func smallUse(name string) loadgen.Use {
	id := []planv1.Parameter{{Name: "id", Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}}
	return loadgen.Use{
		Database: name, Collections: []planv1.Collection{small()}, Client: benchv1alpha1.ClientHandlerSocket,
		Step: planv1.Step{Kind: planv1.StepMeasure, Operations: []planv1.Operation{
			{
				Parameters: id,
				Request:    planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
			},
			{Request: planv1.Request{Kind: "InsertMany", Collection: "things", BatchDocuments: 3}},
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

// smallSession is a session on an empty table small.
func smallSession(tb testing.TB, target *handlersocket.Target, name string) loadgen.Session {
	tb.Helper()
	use := smallUse(name)
	if err := errors.Join(
		target.Prepare(tb.Context(), name, use.Collections[0]), target.Index(tb.Context(), name, use.Collections[0]),
	); err != nil {
		tb.Fatal(err)
	}
	session, err := target.Session(tb.Context(), use)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(session.Close)
	return session
}

// onRow is the request of an operation on one row.
func onRow(tb testing.TB, operation int, id string) *workload.Request {
	tb.Helper()
	return &workload.Request{
		Operation: operation, Collection: "things", Filter: raw(tb, `{"_id": `+id+`}`),
		Update: raw(tb, `{"$set": {"text": "new"}}`),
	}
}

// inserting is the request that inserts rows of these numbers.
func inserting(tb testing.TB, rows ...string) *workload.Request {
	tb.Helper()
	r := &workload.Request{Operation: insertMany, Collection: "things"}
	for _, row := range rows {
		r.Documents = append(r.Documents, raw(tb, row))
	}
	return r
}

// execute is the number of documents of an operation that succeeds.
func execute(tb testing.TB, session loadgen.Session, r *workload.Request) int64 {
	tb.Helper()
	var reply loadgen.Reply
	if err := session.Execute(tb.Context(), r, &reply); err != nil {
		tb.Fatal(err)
	}
	return reply.Documents
}

func TestALineThatFailsLeavesThoseAroundIt(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "around")
	target := open(t, s.config())
	session := smallSession(t, target, "around")
	r := inserting(t, `{"_id": 1, "text": "a", "code": 1}`, `{"_id": 1, "text": "b", "code": 2}`,
		`{"_id": 3, "text": "c", "code": 3}`)
	var reply loadgen.Reply
	err := session.Execute(t.Context(), r, &reply)
	if class := target.Classify(err); err == nil || class != "duplicate key" || reply.Documents != 2 {
		t.Errorf("error %v of class %q, %d documents, want the duplicate and two", err, class, reply.Documents)
	}
	if rows := text(t, db, "COUNT(*) FROM around.things WHERE text IN ('a', 'c')"); rows != "2" {
		t.Errorf("%s rows, want those around the duplicate", rows)
	}
	// The replies are still those of the lines.
	for _, step := range []struct {
		request *workload.Request
		want    int64
	}{
		{onRow(t, getOne, "1"), 1},
		{onRow(t, getOne, "2"), 0},
		{onRow(t, updateOne, "3"), 1},
		{onRow(t, updateOne, "3"), 1},
		{onRow(t, updateOne, "4"), 0},
		{onRow(t, deleteOne, "3"), 1},
		{onRow(t, deleteOne, "3"), 0},
	} {
		if got := execute(t, session, step.request); got != step.want {
			t.Errorf("operation %d on %s: %d documents, want %d", step.request.Operation, step.request.Filter, got, step.want)
		}
	}
}

func TestATableThatAConnectionHasOpenCanBeMadeAnew(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "held")
	target := open(t, s.config())
	session := smallSession(t, target, "held")
	must(t, db, "SET SESSION lock_wait_timeout = 1")
	if _, err := db.List(t.Context(), "ALTER TABLE held.things ADD COLUMN more INT"); err == nil {
		t.Error("the table was changed while a connection had it open")
	}
	if err := target.Prepare(t.Context(), "held", small()); err != nil {
		t.Fatal(err)
	}
	if inserted := execute(t, session, inserting(t, `{"_id": 1, "text": "", "code": 1}`)); inserted != 1 {
		t.Errorf("%d rows were inserted into the new table", inserted)
	}
}

func TestTheWrongSecretIsToldWithoutIt(t *testing.T) {
	s := sharedServer(t)
	config := s.config()
	config.URIs = []string{s.uri(s.port, s.writePort, "mistaken")}
	_, err := handlersocket.Open(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "the secret is wrong") || strings.Contains(err.Error(), "mistaken") {
		t.Errorf("the error is %v", err)
	}
	for _, uri := range []string{s.URI(), s.URI() + "?handlersocketPort=1"} {
		config.URIs = []string{uri}
		_, err := handlersocket.Open(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), "does not name both ports") {
			t.Errorf("of %d bytes without the ports the error is %v", len(uri), err)
		}
	}
}

func TestAServerThatFallsSilentIsATimeoutAndIsFoundAgain(t *testing.T) {
	s := ownServer(t)
	look(t, s, "silent")
	config := s.config()
	config.OperationTimeout = 500 * time.Millisecond
	target := open(t, config)
	session := smallSession(t, target, "silent")
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	var reply loadgen.Reply
	err := session.Execute(t.Context(), onRow(t, getOne, "1"), &reply)
	if class := target.Classify(err); err == nil || class != "timeout" {
		t.Errorf("error %v of class %q", err, class)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	if err := session.Execute(ctx, onRow(t, updateOne, "1"), &reply); !errors.Is(err, cause) {
		t.Errorf("error %v, want what ended the context", err)
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if found := execute(t, session, onRow(t, getOne, "1")); found != 0 {
		t.Errorf("%d rows were found in an empty table", found)
	}
}

func TestAServerThatDiesIsAnErrorOfTheNetworkAndIsFoundAgain(t *testing.T) {
	s := ownServer(t)
	look(t, s, "dead")
	config := s.config()
	config.SelectionTimeout = 500 * time.Millisecond
	target := open(t, config)
	session := smallSession(t, target, "dead")
	s.Kill()
	for range 2 {
		var reply loadgen.Reply
		err := session.Execute(t.Context(), onRow(t, getOne, "1"), &reply)
		if class := target.Classify(err); err == nil || class != "network" {
			t.Errorf("error %v of class %q", err, class)
		}
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := execute(t, session, onRow(t, getOne, "1")); found != 0 {
		t.Errorf("%d rows were found in an empty table", found)
	}
}

// TestAServerThatIsAwayIsWaitedFor: what broke is an error, and what comes after it waits for the server, for as long
// as one may be looked for.
func TestAServerThatIsAwayIsWaitedFor(t *testing.T) {
	s := ownServer(t)
	look(t, s, "away")
	target := open(t, s.config())
	session := smallSession(t, target, "away")
	s.Kill()
	var reply loadgen.Reply
	if err := session.Execute(t.Context(), onRow(t, getOne, "1"), &reply); err == nil {
		t.Fatal("a server that was killed answers")
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(cause) })
	if err := session.Execute(ctx, onRow(t, getOne, "1"), &reply); !errors.Is(err, cause) {
		t.Errorf("error %v, want what ended the waiting", err)
	}
	waited := make(chan error, 1)
	go func() {
		var reply loadgen.Reply
		waited <- session.Execute(t.Context(), onRow(t, getOne, "1"), &reply)
	}()
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("the server is back, and the operation that waited for it failed: %v", err)
	}
}

// TestTLSIsRefusedBeforeAnythingIsConnectedTo: nothing listens where these connection strings point.
func TestTLSIsRefusedBeforeAnythingIsConnectedTo(t *testing.T) {
	const uri = "mysql://user:s3cret@127.0.0.1:1/?handlersocketPort=1&handlersocketWritePort=1"
	for name, config := range map[string]driver.Config{
		"verified":                              {URIs: []string{uri + "&tls=true"}},
		"unverified":                            {URIs: []string{uri + "&tls=skip-verify"}},
		"an authority of the connection string": {URIs: []string{uri + "&tlsCA=ca.pem"}},
		"an authority beside it":                {URIs: []string{uri}, CAFile: "ca.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			config.SelectionTimeout = time.Second
			_, err := handlersocket.Open(t.Context(), config)
			if err == nil || !strings.Contains(err.Error(), "TLS is asked for, and HandlerSocket has none") ||
				strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestAPortThatTakesConnectionsMayBeDead: one byte ends the threads that answer, and nothing tells but a question.
func TestAPortThatTakesConnectionsMayBeDead(t *testing.T) {
	s := ownServer(t)
	look(t, s, "alive")
	target := open(t, s.config())
	if err := target.Prepare(t.Context(), "alive", small()); err != nil {
		t.Fatal(err)
	}
	probe := handlersocket.Probe{
		Address: s.address(), Secret: secret, Database: "alive", Table: "things", Column: "_id", Key: "1",
		Timeout: time.Second,
	}
	for _, address := range []string{s.address(), s.writeAddress()} {
		probe.Address = address
		if err := handlersocket.Alive(t.Context(), probe); err != nil {
			t.Errorf("a port that works: %v", err)
		}
	}
	wrong := probe
	wrong.Table = "missing"
	if err := handlersocket.Alive(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("of a table that is missing the error is %v", err)
	}
	conn, err := net.Dial("tcp", s.writeAddress()) //nolint:noctx // It is on this machine.
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("Q\n")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); handlersocket.Alive(t.Context(), probe) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the port still answers")
		}
	}
	if taken, err := net.Dial("tcp", s.writeAddress()); err != nil { //nolint:noctx // It is on this machine.
		t.Errorf("the port takes no connections any more, so that it can be told without a question: %v", err)
	} else {
		_ = taken.Close()
	}
	probe.Address = s.address()
	if err := handlersocket.Alive(t.Context(), probe); err != nil {
		t.Errorf("the other port: %v", err)
	}
}
