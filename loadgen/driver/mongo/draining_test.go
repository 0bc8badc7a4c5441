package mongo_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// silent is an unacknowledged write.
var silent = planv1.Operation{
	Name: "log", Request: planv1.Request{Kind: "InsertOne"},
	WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
}

// silentInserts is how many of them a plan has.
const silentInserts = 400

// looking counts the documents of the collection when the sessions of each step are opened.
type looking struct {
	*mongo.Target
	mutex sync.Mutex
	found map[string]int64
}

func (l *looking) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, counted := l.found[use.Step.Name]; !counted {
		found, err := l.Count(ctx, use.Database, "things")
		if err != nil {
			return nil, err
		}
		l.found[use.Step.Name] = found
	}
	return l.Target.Session(ctx, use)
}

// silentPlan measures unacknowledged inserts, and then something else.
func silentPlan(database string, client benchv1alpha1.Client, warmup int) planv1.Plan {
	inserts := silent
	inserts.Kind, inserts.BatchDocuments = "InsertMany", 50
	plan := planOf(database, planv1.Step{
		Threads: 8, WarmupSeconds: warmup, OperationCount: silentInserts, Operations: []planv1.Operation{inserts},
	})
	plan.Client = client
	// The larger the documents are, the fewer of them lie in the buffers of a connection.
	plan.Collections[0].Fields[2].Min, plan.Collections[0].Fields[2].Max = 900, 1000
	plan.Steps = append(plan.Steps, planv1.Step{
		Name: "after", Kind: planv1.StepMeasure, Threads: 8, OperationCount: 8,
		Operations: []planv1.Operation{{
			Name: "count", Weight: 1, Request: planv1.Request{Kind: "CountDocuments", Collection: "things", Filter: `{}`},
		}},
	})
	return plan
}

// checkSilent follows the plan and looks at what came of the inserts.
func checkSilent(t *testing.T, target *mongo.Target, plan planv1.Plan) {
	t.Helper()
	watched := &looking{Target: target, found: map[string]int64{}}
	reports, err := drivertest.Run(t.Context(), plan, watched)
	if err != nil {
		t.Fatal(err)
	}
	step := reports[0].Steps[3]
	const want = silentInserts * 50
	if d := step.Drain; d == nil || !d.Counted || d.Sent != want || d.Arrived != want || d.Failed != "" ||
		!slices.Equal(d.Operations, []string{"log"}) {
		t.Errorf("drain is %+v, want all of %d documents to have arrived", d, want)
	}
	if o := step.Operations[0]; o.Unacknowledged != silentInserts || o.ServiceTime != "" {
		t.Errorf("%d of %d without a time, which is %q", o.Unacknowledged, silentInserts, o.ServiceTime)
	}
	if found := watched.found["after"]; plan.Steps[3].WarmupSeconds == 0 && found != loaded+want {
		t.Errorf("the next step found %d documents, want %d", found, loaded+want)
	}
}

func TestTheNextStepFindsUnacknowledgedWrites(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		plan := silentPlan(database(t, server, "silent").Name(), client, 0)
		checkSilent(t, open(t, server), plan)
	})
}

func TestWhatAWarmupLeavesIsNotCounted(t *testing.T) {
	t.Parallel()
	server := mongotest.Shared(t, mongotest.Newest())
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			plan := silentPlan(database(t, server, "silentwarm"+string(client)).Name(), client, 1)
			checkSilent(t, open(t, server), plan)
		})
	}
}

// checkSilentThroughMongos waits for unacknowledged writes that went through mongos.
func checkSilentThroughMongos(t *testing.T, c *cluster, client benchv1alpha1.Client) {
	t.Helper()
	plan := silentPlan("silent"+string(client), client, 0)
	plan.Collections[0].Compressor = ""
	plan.Collections[0].Sharding = &planv1.Sharding{Key: []planv1.IndexKey{{Field: "_id", Order: "hashed"}}}
	checkSilent(t, c.open(t), plan)
}

// TestDocumentsThatTheServerRefusesDidNotArrive sends every document twice.
func TestDocumentsThatTheServerRefusesDidNotArrive(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	plan := silentPlan(database(t, server, "refused").Name(), benchv1alpha1.ClientWire, 0)
	// All documents of an InsertMany have the same text, so that the index takes one of each.
	plan.Collections[0].Fields[2].Value = planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Max: 1 << 20}
	plan.Collections[0].Indexes = append(plan.Collections[0].Indexes, planv1.Index{
		Keys: []planv1.IndexKey{{Field: "text", Order: "1"}}, Unique: true,
	})
	plan.Collections[0].DocumentCount = 0
	plan.Steps = append(plan.Steps[:1], plan.Steps[3])
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	drain := reports[0].Steps[1].Drain
	if drain == nil || !drain.Counted || drain.Arrived >= drain.Sent || drain.Arrived <= 0 {
		t.Fatalf("drain is %+v, want some of the documents to be missing", drain)
	}
	doubts, err := result.Doubts(reports[0])
	if err != nil || len(doubts) == 0 || doubts[0].Reason != benchv1alpha1.ReasonWritesUnaccounted {
		t.Errorf("doubts are %+v, error %v", doubts, err)
	}
}

// sendSilently sends inserts over several sessions at a time, each from its own goroutine.
func sendSilently(t *testing.T, sessions []loadgen.Session, each int) {
	t.Helper()
	var group errgroup.Group
	for _, session := range sessions {
		group.Go(func() error {
			document, err := bson.Marshal(bson.D{{Key: "text", Value: string(make([]byte, 1000))}})
			if err != nil {
				return err
			}
			insert := workload.Request{
				Kind: operation.InsertOne, Collection: "things", Documents: []bson.Raw{document},
			}
			for range each {
				var reply loadgen.Reply
				if err := session.Execute(t.Context(), &insert, &reply); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// silentSessions opens sessions with unacknowledged writes.
func silentSessions(t *testing.T, target *mongo.Target, database string,
	client benchv1alpha1.Client,
) []loadgen.Session {
	t.Helper()
	sessions := make([]loadgen.Session, 4)
	for i := range sessions {
		var err error
		sessions[i], err = target.Session(t.Context(), loadgen.Use{
			Database: database, Client: client, Step: planv1.Step{Operations: []planv1.Operation{silent}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sessions[i].Close)
		if !sessions[i].(loadgen.Drainer).Unacknowledged(0) {
			t.Error("the session does not know that its writes are unacknowledged")
		}
	}
	return sessions
}

func drainAll(ctx context.Context, sessions []loadgen.Session) error {
	var group errgroup.Group
	for _, session := range sessions {
		group.Go(func() error { return session.(loadgen.Drainer).Drain(ctx) })
	}
	return group.Wait()
}

func TestADrainedSessionHasNothingOnItsWay(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "drained")
		sessions := silentSessions(t, open(t, server), db.Name(), client)
		// Connections are made while the server still answers.
		sendSilently(t, sessions, 100)
		if err := drainAll(t.Context(), sessions); err != nil {
			t.Fatal(err)
		}
		sent := 400
		for range 3 {
			sendSilently(t, sessions, 500)
			sent += 4 * 500
			if err := drainAll(t.Context(), sessions); err != nil {
				t.Fatal(err)
			}
			if found := count(t, db, `{}`); found != sent {
				t.Errorf("%d documents after the drain, want %d", found, sent)
			}
		}
	})
}

func TestADrainOfAServerThatStandsStillEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			server := mongotest.Start(t, mongotest.Newest())
			sessions := silentSessions(t, open(t, server), "still", client)
			sendSilently(t, sessions, 10)
			if err := drainAll(t.Context(), sessions); err != nil {
				t.Fatal(err)
			}
			if err := server.Suspend(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Resume() }()
			sendSilently(t, sessions, 10)
			late := errors.New("it is too late")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, late)
			defer cancel()
			if err := drainAll(ctx, sessions); !errors.Is(err, late) {
				t.Errorf("error %v, want the context's cause", err)
			}
		})
	}
}

// TestABrokenConnectionIsTold drains while the server is gone, and when it is back.
func TestABrokenConnectionIsTold(t *testing.T) {
	t.Parallel()
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			server := mongotest.Start(t, mongotest.Newest())
			sessions := silentSessions(t, open(t, server), "back", client)
			sendSilently(t, sessions, 10)
			server.Kill()
			soon, end := context.WithTimeout(t.Context(), time.Second)
			defer end()
			if err := drainAll(soon, sessions[:1]); err == nil {
				t.Error("all was taken in, says a session of a server that is gone")
			}
			if err := server.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := drainAll(ctx, sessions[1:]); err == nil {
				t.Error("all was taken in, says a session whose connection broke")
			}
		})
	}
}
