package mongo_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// feedOperations has one operation, so that a session has one feed.
var feedOperations = planv1.Step{Operations: []planv1.Operation{{Name: "feed"}}}

// insertNumbers adds documents with n from one number on.
func insertNumbers(t *testing.T, db *driver.Database, from, number int) {
	t.Helper()
	documents := make([]any, number)
	for i := range documents {
		documents[i] = bson.D{{Key: "n", Value: from + i}}
	}
	if _, err := db.Collection("things").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
}

// collect executes until that number of documents came, and says whether any operation that took time brought none.
func collect(t *testing.T, session loadgen.Session, r workload.Request, want int64) {
	t.Helper()
	var got int64
	for range 100 {
		reply := execute(t, session, r)
		got += reply.Documents
		if !reply.Unacknowledged && reply.Documents == 0 {
			t.Error("an operation without news claims to have a time")
		}
		if got >= want {
			break
		}
	}
	if got != want {
		t.Errorf("%d documents came, want %d", got, want)
	}
}

// checkFeed opens a reader beside documents that it must not bring, and adds some that it must.
func checkFeed(t *testing.T, db *driver.Database, session loadgen.Session, r workload.Request) {
	t.Helper()
	insertNumbers(t, db, 0, 5)
	if reply := execute(t, session, r); reply.Documents != 0 || !reply.Unacknowledged {
		t.Errorf("opening it gave %+v, want no documents and no time", reply)
	}
	begin := time.Now()
	if reply := execute(t, session, r); reply.Documents != 0 || !reply.Unacknowledged {
		t.Errorf("nothing happened, and the reply is %+v; want no documents and no time", reply)
	}
	if waited := time.Since(begin); waited < time.Duration(r.MaxAwaitMillis)*time.Millisecond/2 {
		t.Errorf("it waited for %s, want about %d ms", waited, r.MaxAwaitMillis)
	}
	insertNumbers(t, db, 5, 7)
	collect(t, session, r, 7)
	later := time.AfterFunc(20*time.Millisecond, func() {
		_, _ = db.Collection("things").InsertOne(t.Context(), bson.D{{Key: "n", Value: 100}})
	})
	defer later.Stop()
	patient := r
	patient.MaxAwaitMillis = 10_000
	collect(t, session, patient, 1)
}

func TestChangeStreamBringsWhatHappensWhileItIsOpen(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "changes")
			session, _ := sessionOf(t, server.URI()+quick, loadgen.Use{Database: db.Name(), Step: feedOperations})
			r := request(operation.ChangeStream, func(r *workload.Request) {
				r.MaxAwaitMillis, r.Pipeline = 100, raw(t, `[{"$match": {"fullDocument.n": {"$lt": 1000}}}]`)
			})
			checkFeed(t, db, session, r)
			t.Run("the time is from the commit, not from when it was asked for", func(t *testing.T) {
				begin := time.Now()
				insertNumbers(t, db, 150, 1)
				<-time.After(500 * time.Millisecond)
				asked := time.Now()
				reply := execute(t, session, r)
				dated := mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 6})
				switch {
				case reply.Documents != 1 || reply.Unacknowledged == dated:
					t.Errorf("got %+v, want one document, and a time is %t", reply, dated)
				case !dated:
				case reply.Since.Before(begin.Add(-200*time.Millisecond)) || asked.Sub(reply.Since) < 200*time.Millisecond:
					t.Errorf("inserted at %s or later, asked for at %s, and the time is from %s on", begin, asked, reply.Since)
				}
			})
			insertNumbers(t, db, 1000, 3)
			insertNumbers(t, db, 200, 2)
			collect(t, session, r, 2)
			t.Run("it goes on where its connection ended", func(t *testing.T) {
				failing(t, db, 1, bson.D{failCommands("getMore"), closed})
				insertNumbers(t, db, 300, 2)
				collect(t, session, r, 2)
			})
			t.Run("another is opened after an error that ends it", func(t *testing.T) {
				failing(t, db, 1, bson.D{failCommands("getMore"), refused})
				var reply loadgen.Reply
				if err := session.Execute(t.Context(), &r, &reply); err == nil {
					t.Fatal("the error of the server is hidden")
				}
				execute(t, session, r)
				insertNumbers(t, db, 400, 2)
				collect(t, session, r, 2)
			})
		})
	}
}

func TestTailBringsWhatIsAddedWhileItIsOpen(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "tail")
			session, target := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Step: feedOperations})
			capped := planv1.Collection{Name: "things", CappedBytes: 1 << 20}
			if err := target.Prepare(t.Context(), db.Name(), capped); err != nil {
				t.Fatal(err)
			}
			r := request(operation.Tail, func(r *workload.Request) { r.MaxAwaitMillis = 100 })
			begin := time.Now()
			for range 3 {
				if reply := execute(t, session, r); reply.Documents != 0 || !reply.Unacknowledged {
					t.Errorf("an empty collection gave %+v, want no documents and no time", reply)
				}
			}
			if waited := time.Since(begin); waited < 150*time.Millisecond {
				t.Errorf("three operations on an empty collection took %s, want about 100 ms each", waited)
			}
			session.Close()
			checkFeed(t, db, session, r)
		})
	}
}
