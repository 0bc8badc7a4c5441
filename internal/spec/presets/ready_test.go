package presets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

func TestEveryReadyWorkloadIsItsSample(t *testing.T) {
	for _, name := range samples.Workloads() {
		t.Run(name, func(t *testing.T) {
			content, _ := samples.Read(name)
			run := benchv1alpha1.BenchmarkRun{}
			if err := yaml.UnmarshalStrict(content, &run); err != nil {
				t.Fatal(err)
			}
			got := expanded(t, benchv1alpha1.PresetName(name), nil)
			if diff := cmp.Diff([]any{run.Spec.Dataset, run.Spec.Workload}, []any{got.Dataset, got.Workload}); diff != "" {
				t.Errorf("dataset and workload (-sample +preset):\n%s", diff)
			}
			if step := got.Workload.Steps[0]; step.Name != name || run.Name != name || len(got.Workload.Steps) != 2 {
				t.Errorf("the sample is %s, and its first step of %d is %s", run.Name, len(got.Workload.Steps), step.Name)
			}
		})
	}
}

// countsOf are the documents of each collection that is loaded.
func countsOf(spec benchv1alpha1.BenchmarkRunSpec) map[string]int64 {
	counts := map[string]int64{}
	for _, c := range spec.Dataset.Collections {
		if c.DocumentCount != nil {
			counts[c.Name] = *c.DocumentCount
		}
	}
	return counts
}

func TestScaleMultipliesDocuments(t *testing.T) {
	tests := map[string]struct {
		name  benchv1alpha1.PresetName
		scale string
		want  map[string]int64
	}{
		"all collections": {
			"social-graph", "2.5", map[string]int64{"people": 25_000, "follows": 250_000, "posts": 125_000},
		},
		"a number that is none in binary": {
			"social-graph", "0.07", map[string]int64{"people": 700, "follows": 7000, "posts": 3500},
		},
		"warehouses, which have the same items": {
			"tpc-c-like", "3", map[string]int64{
				"items": 100_000, "warehouses": 3, "districts": 30, "customers": 90_000, "history": 90_000, "stock": 300_000,
				"orders": 90_000, "new-orders": 27_000, "order-lines": 900_000,
			},
		},
		"the readings of as many sensors": {"iot", "10", map[string]int64{"sensors": 1000, "readings": 3_000_000}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := expanded(t, tc.name, map[string]string{"scale": tc.scale})
			if diff := cmp.Diff(tc.want, countsOf(got)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if again := expanded(t, tc.name, nil); countsOf(again)["orders"] > 50_000 || len(countsOf(again)) != len(tc.want) {
				t.Errorf("the next one has %v", countsOf(again))
			}
		})
	}
}

func TestParametersOfReadyWorkloadsArriveInTheirPlaces(t *testing.T) {
	spec, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{
		Name: "session-store", WarmupSeconds: new(int32(7)),
		Parameters: map[string]string{"maxexecutiontime": "60", "threadcount": "16", "target": "5000"},
	}})
	step := spec.Workload.Steps[0]
	if len(errs) > 0 || *step.WarmupSeconds != 7 || *step.DurationSeconds != 60 || *step.Threads != 16 ||
		*step.Arrival.OperationsPerSecond != 5000 {
		t.Errorf("errors %v, step %+v", errs, step)
	}
	check, sample := spec.Workload.Steps[1], expanded(t, "session-store", nil).Workload.Steps[1]
	if diff := cmp.Diff(sample, check); diff != "" {
		t.Errorf("the step that checks (-sample +preset):\n%s", diff)
	}
	spec, errs = presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{
		Name: "session-store", ThreadSweep: []int32{1, 8},
	}})
	if step := spec.Workload.Steps[0]; len(errs) > 0 || step.Threads != nil || len(step.ThreadSweep) != 2 {
		t.Errorf("errors %v, step %+v", errs, step)
	}
}

func TestWrongParametersOfReadyWorkloadsAreRefused(t *testing.T) {
	given := func(parameter, value string) map[string]string { return map[string]string{parameter: value} }
	sweep := []int32{1, 2}
	tests := map[string]struct {
		preset     benchv1alpha1.Preset
		path, says string
	}{
		"no number": {
			benchv1alpha1.Preset{Name: "iot", Parameters: given("scale", "big")}, "parameters[scale]", "above 0",
		},
		"nothing": {
			benchv1alpha1.Preset{Name: "iot", Parameters: given("scale", "0")}, "parameters[scale]", "above 0",
		},
		"infinity": {
			benchv1alpha1.Preset{Name: "iot", Parameters: given("scale", "Inf")}, "parameters[scale]", "at most",
		},
		"half a warehouse": {
			benchv1alpha1.Preset{Name: "tpc-c-like", Parameters: given("scale", "1.5")},
			"parameters[scale]",
			"collection warehouses would have 1.5 documents",
		},
		"less than a document": {
			benchv1alpha1.Preset{Name: "queue", Parameters: given("scale", "1e-9")},
			"parameters[scale]",
			"collection jobs would have 0 documents",
		},
		"what only YCSB has": {
			benchv1alpha1.Preset{Name: "queue", Parameters: given("recordcount", "5")},
			"parameters[recordcount]",
			`supported values: "scale"`,
		},
		"threads of groups": {
			benchv1alpha1.Preset{Name: "queue", Parameters: given("threadcount", "5")},
			"parameters[threadcount]",
			"kubectl mongobench new queue",
		},
		"a sweep of groups": {
			benchv1alpha1.Preset{Name: "iot", ThreadSweep: sweep}, "threadSweep", "kubectl mongobench new iot",
		},
		"threads and a sweep": {
			benchv1alpha1.Preset{Name: "social-graph", ThreadSweep: sweep, Parameters: given("threadcount", "5")},
			"parameters[threadcount]", "only one of",
		},
		"a name that is not known": {benchv1alpha1.Preset{Name: "social"}, "name", `"YCSB-F", "content-store"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: &tc.preset})
			if len(errs) != 1 {
				t.Fatalf("%d errors, want one: %v", len(errs), errs.ToAggregate())
			}
			if want := "spec.preset." + tc.path; errs[0].Field != want || !strings.Contains(errs[0].Error(), tc.says) {
				t.Errorf("the error is %v, want it at %s, with %q", errs[0], want, tc.says)
			}
			if len(spec.Workload.Steps) == 0 || len(spec.Dataset.Collections) == 0 {
				t.Error("it stands for nothing")
			}
		})
	}
}

func TestEveryLoadPodLoadsReadyWorkloads(t *testing.T) {
	spec, _ := presets.Expand(benchv1alpha1.BenchmarkRunSpec{
		Preset:        &benchv1alpha1.Preset{Name: "queue"},
		LoadGenerator: &benchv1alpha1.LoadGenerator{Pods: new(int32(8))},
	})
	if got := *spec.Dataset.Load.Threads; got != 8 {
		t.Errorf("%d threads load", got)
	}
}
