package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// longLoad only loads and compares, long enough for something to come in between.
func longLoad() planv1.Plan {
	plan := testPlan(1, planv1.Step{})
	plan.Database, plan.Dataset = "resume", "fingerprint"
	plan.Collections[0].DocumentCount = 400_000
	plan.Steps = []planv1.Step{
		{Name: "prepare", Kind: planv1.StepPrepare},
		{Name: "load", Kind: planv1.StepLoad, Threads: 2, BatchDocuments: 100},
		{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifySample},
	}
	return plan
}

// opened connects to a server of the test's own.
func opened(t *testing.T) (*mongotest.Server, *mongo.Target) {
	t.Helper()
	server := mongotest.Start(t, "6.0.5")
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
	return server, target
}

// awaitCheckpoint returns once some records of the load are known to be there.
func awaitCheckpoint(ctx context.Context, t *testing.T, target *mongo.Target) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		found, err := target.Checkpoints(ctx, "resume")
		if err == nil && len(found) > 0 {
			return
		}
		<-ticker.C
	}
	t.Error("there was no checkpoint before the load ended")
}

// awaitDocument returns at the very begin of the load, so that the rest of it lasts for long enough.
func awaitDocument(ctx context.Context, target *mongo.Target) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if found, err := target.Count(ctx, "resume", "things"); err == nil && found > 0 {
			return
		}
		<-ticker.C
	}
}

func TestAResumedLoadLeavesOutWhatWasAcknowledged(t *testing.T) {
	server, target := opened(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	go func() {
		awaitCheckpoint(ctx, t, target)
		cancel(stop)
	}()
	_, err := newEngine(longLoad(), target).Run(ctx)
	if !errors.Is(err, stop) {
		t.Fatalf("the load ended with %v before it was stopped", err)
	}
	// What the checkpoint says has survived.
	server.Kill()
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := newEngine(longLoad(), target)
	again.Resume = true
	report, err := again.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	load := report.Steps[1]
	if load.ResumedDocuments == 0 || load.Documents+load.ResumedDocuments != 400_000 {
		t.Errorf("%d documents were written and %d left out, want some of each and 400,000 in all", load.Documents,
			load.ResumedDocuments)
	}
	left, err := target.Checkpoints(t.Context(), "resume")
	if err != nil || len(left) != 0 {
		t.Errorf("after a load that is whole there are the checkpoints %v, %v", left, err)
	}
}

func TestALoadGoesOnAfterARestartOfTheServer(t *testing.T) {
	server, target := opened(t)
	restarted := make(chan error, 1)
	go func() {
		awaitDocument(t.Context(), target)
		restarted <- errors.Join(server.End(), server.Restart(t.Context()))
	}()
	report, err := newEngine(longLoad(), target).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	load := report.Steps[1]
	if load.Documents != 400_000 || load.Operations[0].Errors == 0 {
		t.Errorf("%d documents and %d errors, want 400,000, and the batches that the restart failed", load.Documents,
			load.Operations[0].Errors)
	}
}

func TestADuplicateKeyNamesTheDocument(t *testing.T) {
	_, target := opened(t)
	plan := longLoad()
	plan.Collections[0].DocumentCount = 1000
	// A key that only ten documents can have.
	plan.Collections[0].Fields[0].Value = planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Max: 10}
	_, err := newEngine(plan, target).Run(t.Context())
	if err == nil {
		t.Fatal("documents with the same key were loaded")
	}
	t.Log(err)
	want := "of them have the key of another document, the first is record"
	if report := err.Error(); !strings.Contains(report, want) {
		t.Errorf("error %q, want one with %q", report, want)
	}
	mark, err := target.Mark(t.Context(), plan.Database)
	if err != nil || mark.State != reportv1.DatasetLoading {
		t.Errorf("the mark is %v, %v; want that the load is not whole", mark, err)
	}
}
