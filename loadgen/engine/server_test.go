package engine_test

import (
	"context"
	"os"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// everything is a plan with every kind of step.
func everything(client benchv1alpha1.Client) planv1.Plan {
	plan := testPlan(1, planv1.Step{})
	plan.Client, plan.Database = client, "engine"+string(client)
	things := &plan.Collections[0]
	things.DocumentCount = 20_003
	things.Indexes = []planv1.Index{{Keys: []planv1.IndexKey{{Field: "v", Order: "1"}}}}
	things.Fields = append(things.Fields, planv1.Field{
		Name: "nested.text", Value: planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 9, Min: 0, Max: 300},
	}, planv1.Field{
		Name: "nested.list", Value: planv1.Value{
			Type: benchv1alpha1.GeneratorArray, Seed: 10, Max: 4, Element: &planv1.Value{
				Type:      benchv1alpha1.GeneratorDouble,
				MaxDouble: 1,
			},
		},
	})
	search := searchStep().Search
	search.TrialSeconds, search.PercentileMillis, search.LimitMicros, search.MaxSeconds = 1, 50_000, 100_000, 10
	search.Lowest, search.Highest, search.TolerancePercent = 10, 20, 50
	operations := plan.Steps[3].Operations
	plan.Steps = []planv1.Step{
		{Name: "prepare", Kind: planv1.StepPrepare, WithoutIndexes: true},
		{Name: "load", Kind: planv1.StepLoad, Threads: 3, BatchDocuments: 700},
		{Name: "index", Kind: planv1.StepIndex},
		{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
		{
			Name: "open", Kind: planv1.StepMeasure, Threads: 8, WarmupSeconds: 1, DurationSeconds: 2, Operations: operations,
			Arrival: &planv1.Arrival{
				Process: benchv1alpha1.ArrivalPoisson, MaxQueued: 10_000, Stages: []planv1.ArrivalStage{{
					Seconds: 2, From: 50,
					To: 300,
				}},
			},
		},
		{
			Name: "closed", Kind: planv1.StepMeasure, Threads: 8, OperationCount: 501, ThinkTime: pause(100),
			Operations: operations,
		},
		{
			Name: "search", Kind: planv1.StepMeasure, Threads: 8, DurationSeconds: 1, Search: search,
			Operations: operations[:1],
		},
	}
	if client == benchv1alpha1.ClientDriver {
		// One search is enough: it takes its seconds.
		plan.Steps = plan.Steps[:6]
	}
	return plan
}

func TestAPlanWithEverythingOnARealServer(t *testing.T) {
	server := mongotest.Shared(t, "6.0.5")
	for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientWire, benchv1alpha1.ClientDriver} {
		t.Run(string(client), func(t *testing.T) {
			target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 8})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
			plan := everything(client)
			whole := newEngine(plan, target)
			whole.NewAlarm = nil
			report, err := whole.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			checkEverything(t, plan, report)

			before := count(t, target, plan)
			resumed := newEngine(plan, target)
			resumed.Plan.Steps, resumed.Resume = plan.Steps[:3], true
			if _, err := resumed.Run(t.Context()); err != nil {
				t.Errorf("loading what is there already: %v", err)
			}
			if after := count(t, target, plan); after != before || after < plan.Collections[0].DocumentCount {
				t.Errorf("%d documents after loading once more, want %d as before", after, before)
			}
		})
	}
}

// count is the number of documents in the plan's only collection.
func count(t *testing.T, target loadgen.Target, plan planv1.Plan) int64 {
	t.Helper()
	found, err := target.Count(t.Context(), plan.Database, plan.Collections[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func checkEverything(t *testing.T, plan planv1.Plan, report reportv1.Report) {
	t.Helper()
	checks := map[string]func(*testing.T, reportv1.Step, int64){
		"open": checkOpen, "closed": checkClosed, "search": checkSearch,
	}
	for i, step := range report.Steps {
		if want := plan.Collections[0].DocumentCount; i%2 == 1 && i < 4 && step.Documents != want {
			t.Errorf("%s: %d documents, want %d", step.Name, step.Documents, want)
		}
		var counted, failed int64
		for _, operation := range step.Operations {
			counted += operation.Count
			failed += operation.Errors
		}
		if check := checks[step.Name]; check != nil {
			check(t, step, counted)
		}
		if failed > 0 {
			t.Errorf("%s: %d operations failed", step.Name, failed)
		}
	}
}

func checkOpen(t *testing.T, step reportv1.Step, counted int64) {
	t.Helper()
	if counted == 0 || counted+step.Arrivals.Dropped != step.Arrivals.Due {
		t.Errorf("%d answered and %d dropped of %d due", counted, step.Arrivals.Dropped, step.Arrivals.Due)
	}
	if step.Traffic.BytesIn == 0 || step.Traffic.BytesOut == 0 || step.Generator.Processors == 0 {
		t.Errorf("traffic %+v and %d processors: want some of each", step.Traffic, step.Generator.Processors)
	}
}

func checkClosed(t *testing.T, step reportv1.Step, counted int64) {
	t.Helper()
	if counted != 501 || step.Arrivals != nil {
		t.Errorf("%d answered with arrivals %v, want 501 without", counted, step.Arrivals)
	}
}

func checkSearch(t *testing.T, step reportv1.Step, counted int64) {
	t.Helper()
	trials := step.Search.Trials
	if len(trials) == 0 || trials[0].Rate != 10 || counted == 0 {
		t.Errorf("%d answered in the last of the trials %+v, want some, and a first trial of 10/s", counted, trials)
	}
}
