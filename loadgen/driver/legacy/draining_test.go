package legacy_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// silentInsert is an unacknowledged write.
var silentInsert = planv1.Operation{
	Name: "log", Request: planv1.Request{Kind: "InsertOne"},
	WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
}

// sendSilently sends unacknowledged inserts. The connection outlives the context of each.
func sendSilently(t *testing.T, session loadgen.Session, inserts int) {
	t.Helper()
	insert := workload.Request{
		Kind: operation.InsertOne, Collection: "things", Documents: []bson.Raw{raw(t, `{"text": "something"}`)},
	}
	for range inserts {
		ctx, cancel := context.WithCancel(t.Context())
		var reply loadgen.Reply
		err := session.Execute(ctx, &insert, &reply)
		cancel()
		if err != nil || !reply.Unacknowledged {
			t.Fatalf("reply %+v, error %v", reply, err)
		}
	}
}

func TestADrainedSessionHasNothingOnItsWay(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		target := open(t, server, form)
		if err := target.Prepare(t.Context(), "drained", planv1.Collection{Name: "things"}); err != nil {
			t.Fatal(err)
		}
		worker := session(t, target, loadgen.Use{
			Database: "drained", Step: planv1.Step{Operations: []planv1.Operation{silentInsert}},
		})
		drainer := worker.(loadgen.Drainer)
		if !drainer.Unacknowledged(0) {
			t.Error("the session does not know that its writes are unacknowledged")
		}
		for round := range 5 {
			sendSilently(t, worker, 1000)
			if err := drainer.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkCounts(t, target, int64(round+1)*1000)
		}
	})
}

// checkCounts compares both ways to count.
func checkCounts(t *testing.T, target *legacy.Target, want int64) {
	t.Helper()
	counted, err := target.Count(t.Context(), "drained", "things")
	if err != nil {
		t.Fatal(err)
	}
	estimated, err := target.Estimate(t.Context(), "drained", "things")
	if err != nil || counted != want || estimated != want {
		t.Errorf("%d documents, and %d estimated, after the drain, want %d; error %v", counted, estimated, want, err)
	}
}

func TestUnacknowledgedWritesOfAPlanAreWaitedFor(t *testing.T) {
	for _, form := range forms {
		inserts := silentInsert
		inserts.Weight, inserts.Collection = 1, "things"
		plan := planv1.Plan{
			Version: planv1.Version, Seed: 1, Pods: 1, Database: "silent",
			Collections: []planv1.Collection{{
				Name:   "things",
				Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
			}},
			Steps: []planv1.Step{
				{Name: "prepare", Kind: planv1.StepPrepare},
				{
					Name: "silent", Kind: planv1.StepMeasure, Threads: 2, WarmupSeconds: 1, OperationCount: 10_000,
					Operations: []planv1.Operation{inserts},
				},
			},
		}
		reports, err := drivertest.Run(t.Context(), plan, open(t, mongotest.Shared(t, servers[0]), form))
		if err != nil {
			t.Fatal(err)
		}
		drain := reports[0].Steps[1].Drain
		if drain == nil || !drain.Counted || drain.Sent != 10_000 || drain.Arrived != 10_000 || drain.Failed != "" {
			t.Errorf("wire version %d: drain is %+v, want all of 10000 documents", form, drain)
		}
	}
}

func TestADrainEndsWithItsContextOrItsConnection(t *testing.T) {
	late := errors.New("it is too late")
	for name, tc := range map[string]struct {
		// do happens between the writes and the drain.
		do   func(*mongotest.Server) error
		want error
	}{
		"of a server that stands still": {(*mongotest.Server).Suspend, late},
		"of a server that is gone":      {func(s *mongotest.Server) error { s.Kill(); return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := mongotest.Start(t, servers[0])
			defer func() { _ = server.Resume() }()
			worker := session(t, open(t, server, 0), loadgen.Use{
				Database: "ended", Step: planv1.Step{Operations: []planv1.Operation{silentInsert}},
			})
			sendSilently(t, worker, 10)
			if err := tc.do(server); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, late)
			defer cancel()
			err := worker.(loadgen.Drainer).Drain(ctx)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}
