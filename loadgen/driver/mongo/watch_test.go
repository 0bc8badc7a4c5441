package mongo_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// watching is the request that inserts a document with this _id.
func watching(t *testing.T, id int) (workload.Request, planv1.Step) {
	t.Helper()
	r, step := drawnFrom(t, planv1.Operation{Request: planv1.Request{Kind: "InsertThenWatch"}})
	document, err := bson.Marshal(bson.D{{Key: "_id", Value: id}})
	if err != nil {
		t.Fatal(err)
	}
	r.Documents = []bson.Raw{document}
	return r, step
}

// TestTheTimeOfADeliveryIsFromTheAcknowledgement slows the insert, which is no part of it, and then the stream, which
// is.
func TestTheTimeOfADeliveryIsFromTheAcknowledgement(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient[:2] {
			t.Run(version+" "+string(client), func(t *testing.T) {
				server := replicaSet(t, version)
				db := database(t, server, "watched")
				first, step := watching(t, 1)
				session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client, Step: step})
				if reply := execute(t, session, first); reply.Documents != 2 || reply.Inserted != 1 || reply.Since.IsZero() {
					t.Errorf("the first, which opens the stream: %+v", reply)
				}
				checkDelays(t, db, session)
				checkAfterAnError(t, session)
			})
		}
	}
}

// checkAfterAnError inserts a document that is there already, and then another one.
func checkAfterAnError(t *testing.T, session loadgen.Session) {
	t.Helper()
	again, _ := watching(t, 3)
	if err := session.Execute(t.Context(), &again, new(loadgen.Reply)); err == nil {
		t.Error("a document that is there already was inserted")
	}
	fourth, _ := watching(t, 4)
	if reply := execute(t, session, fourth); reply.Documents != 2 {
		t.Errorf("after an error: %+v", reply)
	}
}

// checkDelays delays an insert, before which others were made, and then what is read of the stream.
func checkDelays(t *testing.T, db *driver.Database, session loadgen.Session) {
	t.Helper()
	const slow, slower = 300 * time.Millisecond, time.Second
	blocked := func(command string, wait time.Duration) bson.D {
		return bson.D{
			failCommands(command), {Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: wait.Milliseconds()},
		}
	}
	insertNumbers(t, db, 100, 3)
	failing(t, db, 1, blocked("insert", slow))
	second, _ := watching(t, 2)
	begin := time.Now()
	if reply := execute(t, session, second); reply.Documents != 2+3 || reply.Since.Sub(begin) < slow {
		t.Errorf("the insert took %s, and the time is from %s after it was sent: %+v", slow, reply.Since.Sub(begin), reply)
	}
	failing(t, db, 1, blocked("getMore", slower))
	third, _ := watching(t, 3)
	begin = time.Now()
	reply := execute(t, session, third)
	if took := time.Since(reply.Since); took < slower/2 {
		t.Errorf("%s from the acknowledgement, of %s: %+v", took, time.Since(begin), reply)
	}
}

// TestEveryInsertIsDelivered has several threads insert, each of which sees what all of them insert.
func TestEveryInsertIsDelivered(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	for _, client := range everyClient[:2] {
		t.Run(string(client), func(t *testing.T) {
			db := database(t, server, "delivered")
			plan := planOf(db.Name(), planv1.Step{
				Threads: 4, OperationCount: sent,
				Operations: []planv1.Operation{{Name: "it", Request: planv1.Request{Kind: "InsertThenWatch"}}},
			})
			plan.Client = client
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			measured := reports[0].Steps[3].Operations[0]
			if measured.Errors != 0 || measured.Inserted != sent || measured.Documents < 2*sent || measured.Unacknowledged != 0 {
				t.Errorf("%+v", measured)
			}
			if found := int64(len(documentsOf(t, db, "things"))); found != loaded+sent {
				t.Errorf("%d documents, want %d", found, loaded+sent)
			}
		})
	}
}
