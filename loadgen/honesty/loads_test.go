package honesty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"k8s.io/apimachinery/pkg/util/wait"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// toLoad is how many documents these scenarios load: for some seconds.
const toLoad = 200_000

// cutAt is how many of them were acknowledged and written down when a load is cut.
const cutAt = toLoad / 10

// loads is a plan that loads and counts.
func loads() planv1.Plan {
	return planv1.Plan{
		Version: planv1.Version, Seed: 42, Pods: 1, Database: "loads", Dataset: "fingerprint",
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: toLoad,
			Fields: []planv1.Field{
				{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}},
				{Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 3, Max: 1000}},
			},
		}},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 2, BatchDocuments: 10},
			{Name: "verify", Kind: planv1.StepVerify},
		},
	}
}

// batchesPerSecond is how many of them pass to the server of a load that something is to happen to, so that it lasts
// for some seconds on any machine.
const batchesPerSecond = 5000

// loaders are a server, and what drives loads into it.
type loaders struct {
	server *mongotest.Server
	// target is the server itself, and slow the same behind a proxy.
	target, slow *mongodriver.Target
	client       *mongo.Client
}

func newLoaders(t *testing.T) *loaders {
	t.Helper()
	l := &loaders{server: mongotest.Start(t, mongotest.Newest())}
	open := func(uri string) *mongodriver.Target {
		target, err := mongodriver.Open(t.Context(), mongodriver.Config{URIs: []string{uri}, Connections: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
		return target
	}
	l.target, l.slow = open(l.server.URI()), open(slowed(t, l.server.URI(), batchesPerSecond))
	var err error
	if l.client, err = mongo.Connect(options.Client().ApplyURI(l.server.URI())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.client.Disconnect(context.WithoutCancel(t.Context())) })
	return l
}

// counters are those of the server: documents that it was sent, and documents that it read to answer a question.
type counters struct {
	Operations struct {
		Insert int64 `bson:"insert"`
	} `bson:"opcounters"`
	Metrics struct {
		Executor struct {
			Read int64 `bson:"scannedObjects"`
		} `bson:"queryExecutor"`
	} `bson:"metrics"`
}

func (l *loaders) counters(t *testing.T) (now counters) {
	t.Helper()
	status := bson.D{{Key: "serverStatus", Value: 1}}
	if err := l.client.Database("admin").RunCommand(t.Context(), status).Decode(&now); err != nil {
		t.Fatal(err)
	}
	return now
}

// documents are how many there are.
func (l *loaders) documents(t *testing.T) int64 {
	t.Helper()
	count, err := l.client.Database("loads").Collection("things").CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// begun is about how many documents there are.
func (l *loaders) begun(ctx context.Context) int64 {
	count, err := l.client.Database("loads").Collection("things").EstimatedDocumentCount(ctx)
	if err != nil {
		return 0
	}
	return count
}

// loader follows a plan, and remembers what it said.
func (l *loaders) loader(plan planv1.Plan, target loadgen.Target) (*engine.Engine, *drivertest.Reporter) {
	reporter := &drivertest.Reporter{}
	return &engine.Engine{Plan: plan, Target: target, Reporter: reporter, Log: slog.New(slog.DiscardHandler)}, reporter
}

// killed is a target whose client is gone at once: its last checkpoint is not written.
type killed struct {
	*mongodriver.Target
	gone atomic.Bool
}

func (k *killed) SetCheckpoint(ctx context.Context, database string, checkpoint reportv1.LoadCheckpoint) error {
	if k.gone.Load() {
		return errors.New("this process is no more")
	}
	return k.Target.SetCheckpoint(ctx, database, checkpoint)
}

// await looks for a state of a load that goes on meanwhile, until it has come or the context ends.
func await(ctx context.Context, reached func() bool) {
	_ = wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		return reached(), nil
	})
}

// cut loads until some was written down, and ends. It returns what the loader said last.
func (l *loaders) cut(t *testing.T) *reportv1.Progress {
	t.Helper()
	target := &killed{Target: l.slow}
	loader, reporter := l.loader(loads(), target)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		await(ctx, func() bool { return l.writtenDown(ctx) >= cutAt })
		target.gone.Store(true)
		cancel()
	}()
	if _, err := loader.Run(ctx); err == nil {
		t.Fatal("the load ended before it was cut")
	}
	seen := reporter.Seen()
	return &seen[len(seen)-1]
}

// writtenDown is how many records the checkpoints say are there.
func (l *loaders) writtenDown(ctx context.Context) (records int64) {
	found, err := l.target.Checkpoints(ctx, "loads")
	if err != nil {
		return 0
	}
	for _, checkpoint := range found {
		for _, done := range checkpoint.Done {
			records += done.End - done.First
		}
	}
	return records
}

// goOn ends a load that was cut, and tells how many documents were sent in all.
func goOn(t *testing.T, as func(loader *engine.Engine, last *reportv1.Progress)) Told {
	t.Helper()
	l := newLoaders(t)
	before := l.counters(t).Operations.Insert
	last := l.cut(t)
	loader, _ := l.loader(loads(), l.target)
	as(loader, last)
	report, err := loader.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sent, load := l.counters(t).Operations.Insert-before, report.Steps[1]
	return Told{
		Reported: fmt.Sprintf("%d written, %d left out; the server was sent %d and has %d", load.Documents,
			load.ResumedDocuments, sent, l.documents(t)),
		Wrong: load.Documents+load.ResumedDocuments != toLoad || load.ResumedDocuments < cutAt || sent >= toLoad*3/2 ||
			l.documents(t) != toLoad,
	}
}

func TestLoads(t *testing.T) {
	const truth = "the server's counter of inserts: less than 1.5 times the 200,000 documents, each there once"
	Check(t, Scenario{
		Item: "A20.11", Name: "a load that is resumed", Truth: truth,
		Run: func(t *testing.T) Told {
			return goOn(t, func(loader *engine.Engine, _ *reportv1.Progress) { loader.Resume = true })
		},
	})
	Check(t, Scenario{
		Item: "A13", Name: "a load pod that is killed while loading, and replaced", Truth: truth,
		Run: func(t *testing.T) Told {
			return goOn(t, func(loader *engine.Engine, last *reportv1.Progress) { loader.Replaces = last })
		},
	})
	Check(t, Scenario{
		Item: "A20.12", Name: "a load whose server breaks all connections", Truth: "200,000 documents, each there once",
		Run: brokenConnections,
	})
	Check(t, Scenario{
		Item: "A20.12", Name: "a load of documents that are there already", Truth: "1,000 documents, each there once",
		Run: loadedTwice,
	})
	Check(t, Scenario{
		Item: "A20.12", Name: "a load of two documents with one key", Truth: "200 of 1,000 records have a key of their own",
		Run: sameKeys,
	})
	Check(t, Scenario{
		Item: "A20.13", Name: "counting what was loaded", Truth: "the server's counter of documents that it read",
		Run: countingReads,
	})
}

// brokenConnections has the server end every connection of a load in the middle of it.
func brokenConnections(t *testing.T) Told {
	t.Helper()
	l := newLoaders(t)
	loader, _ := l.loader(loads(), l.slow)
	broken := make(chan error, 1)
	go func() {
		// At the very begin: what there is to load must last until the server has ended.
		await(t.Context(), func() bool { return l.begun(t.Context()) > 0 })
		broken <- errors.Join(l.server.End(), l.server.Restart(t.Context()))
	}()
	report, err := loader.Run(t.Context())
	if err := errors.Join(err, <-broken); err != nil {
		t.Fatal(err)
	}
	load := report.Steps[1]
	return Told{
		Reported: fmt.Sprintf("%d written, %d batches sent again, %d there", load.Documents, load.Operations[0].Errors,
			l.documents(t)),
		Wrong: load.Documents != toLoad || load.Operations[0].Errors == 0 || l.documents(t) != toLoad,
	}
}

// loadedTwice loads what another loader has loaded.
func loadedTwice(t *testing.T) Told {
	t.Helper()
	l := newLoaders(t)
	plan := loads()
	plan.Dataset, plan.Collections[0].DocumentCount = "", 1000
	for range 2 {
		loader, _ := l.loader(plan, l.target)
		if _, err := loader.Run(t.Context()); err != nil {
			return Told{Reported: err.Error(), Wrong: true}
		}
		plan.Steps = plan.Steps[1:2]
	}
	there := l.documents(t)
	return Told{Reported: fmt.Sprintf("%d there", there), Wrong: there != 1000}
}

// sameKeys loads documents of which most have the key of another one.
func sameKeys(t *testing.T) Told {
	t.Helper()
	l := newLoaders(t)
	plan := loads()
	plan.Collections[0].DocumentCount = 1000
	plan.Collections[0].Fields[0].Value = planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Max: 200}
	loader, _ := l.loader(plan, l.target)
	_, err := loader.Run(t.Context())
	if err == nil {
		return Told{Reported: "the load is whole", Wrong: true}
	}
	told := Told{Reported: "no load", Wrong: true}
	if says := err.Error(); strings.Contains(says, "have the key of another document, the first is record") {
		told.Says = says
	}
	return told
}

// countingReads loads and counts, by default.
func countingReads(t *testing.T) Told {
	t.Helper()
	l := newLoaders(t)
	loader, _ := l.loader(loads(), l.target)
	before := l.counters(t).Metrics.Executor.Read
	report, err := loader.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := l.counters(t).Metrics.Executor.Read - before
	return Told{
		Reported: fmt.Sprintf("%d documents counted, %d read", report.Steps[2].Documents, read),
		Wrong:    report.Steps[2].Documents != toLoad || read > toLoad/100,
	}
}
