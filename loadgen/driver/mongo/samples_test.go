package mongo_test

import (
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// inShort is the plan of a sample with few documents and little time, in a database of its own.
func inShort(t *testing.T, sample, database string) planv1.Plan {
	t.Helper()
	run := readSample(t, sample, database)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
	for i := range run.Spec.Dataset.Collections {
		if count := run.Spec.Dataset.Collections[i].DocumentCount; count != nil {
			*count = min(*count, 2000)
		}
	}
	for i := range run.Spec.Workload.Steps {
		step := &run.Spec.Workload.Steps[i]
		step.WarmupSeconds, step.DurationSeconds = nil, new(int32(2))
		for k := range step.Actions {
			step.Actions[k].AfterSeconds = new(int32(min(k, 1)))
		}
	}
	return spec.Compile(run.Spec)
}

func readSample(t *testing.T, sample, database string) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	content, ok := samples.Read(sample)
	if !ok {
		t.Fatalf("there is no sample %s", sample)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(content, run); err != nil {
		t.Fatal(err)
	}
	run.Spec.Dataset.Database = &database
	return run
}

// asItIs is the plan of a sample in a database of its own.
func asItIs(t *testing.T, sample, database string) planv1.Plan {
	t.Helper()
	return spec.Compile(readSample(t, sample, database).Spec)
}

func TestSamplesOfCollectionsAreFollowed(t *testing.T) {
	for _, sample := range []string{"collections", "index-build", "tenants"} {
		for _, client := range everyClient {
			t.Run(sample+" "+string(client), func(t *testing.T) { checkSample(t, sample, client) })
		}
	}
}

// TestSamplesForUsersOfOtherTools follows, as they are, those that the pages for users of other tools show.
func TestSamplesForUsersOfOtherTools(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	for _, sample := range []string{"from-genny", "from-jmeter", "from-k6", "from-nosqlbench", "from-pocdriver"} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel() // Each goes at the pace that it declares, and waits most of its time.
			db := database(t, server, sample)
			reports, err := drivertest.Run(t.Context(), asItIs(t, sample, db.Name()), open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			step := reports[0].Steps[len(reports[0].Steps)-1]
			for _, o := range step.Operations {
				if o.Count == 0 || o.Errors > 0 || o.Documents == 0 {
					t.Errorf("%s: %d succeeded with %d documents, errors %+v", o.Name, o.Count, o.Documents, o.ErrorClasses)
				}
			}
		})
	}
}

// TestTheSampleOfAnExistingDatabase follows it in short against a database with what it asks for.
func TestTheSampleOfAnExistingDatabase(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	db := existingDatabase(t, server, "shop")
	customers := make([]any, 50)
	for i := range customers {
		customers[i] = bson.D{{Key: "mail", Value: fmt.Sprintf("c%d@example.com", i)}}
	}
	if _, err := db.Collection("customers").InsertMany(t.Context(), customers); err != nil {
		t.Fatal(err)
	}
	run := readSample(t, "existing", db.Name())
	run.Spec.Workload.Steps[0].WarmupSeconds, run.Spec.Workload.Steps[0].DurationSeconds = nil, new(int32(2))
	reports, err := drivertest.Run(t.Context(), spec.Compile(run.Spec), open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range reports[0].Steps[1].Operations {
		if o.Count == 0 || o.Errors > 0 || o.Documents < o.Count {
			t.Errorf("%s: %d succeeded with %d documents, errors %+v", o.Name, o.Count, o.Documents, o.ErrorClasses)
		}
	}
}

// TestTheSampleOfASearchForWhatIsNear follows it in short: the search misses some, and is right all the same.
func TestTheSampleOfASearchForWhatIsNear(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	plan := inShort(t, "nearest", database(t, server, "nearest").Name())
	plan.Collections[0].DocumentCount = 500
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	operations := reports[0].Steps[len(plan.Steps)-1].Operations
	for _, o := range operations {
		if o.Count == 0 || o.Errors > 0 || o.Documents == 0 {
			t.Errorf("%s: %d succeeded with %d documents, errors %+v", o.Name, o.Count, o.Documents, o.ErrorClasses)
		}
	}
	if recall := operations[0].Recall; recall.Missing != "" || recall.Exact != 500 || recall.Found < 250 {
		t.Errorf("recall %+v, want at least half of 500", recall)
	}
}

func checkSample(t *testing.T, sample string, client benchv1alpha1.Client) {
	t.Helper()
	server := replicaSet(t, mongotest.Newest())
	db := database(t, server, "samples")
	plan := inShort(t, sample, db.Name())
	plan.Client = client
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	step := reports[0].Steps[len(reports[0].Steps)-1]
	for _, o := range step.Operations {
		if o.Count == 0 || o.Errors > 0 || o.Documents == 0 && o.Name != "long" {
			t.Errorf("%s: %d succeeded with %d documents, errors %+v", o.Name, o.Count, o.Documents, o.ErrorClasses)
		}
	}
	for _, action := range step.Actions {
		if action.Error != "" || action.TookMicros == 0 {
			t.Errorf("action %+v; want it done, and its time", action)
		}
	}
}
