package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// growing is a plan whose collection grows from 1003 documents to 1500 and 2000, with operations of these kinds.
func growing(pods int, kinds ...string) planv1.Plan {
	plan := marked(pods, "a", kinds...)
	measured := plan.Steps[3]
	plan.Collections[0].GrowsTo = 2000
	plan.Collections = append(plan.Collections, planv1.Collection{
		Name: "others", DocumentCount: 10,
		Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
	})
	plan.Steps = plan.Steps[:3]
	from := int64(0)
	for _, checkpoint := range []struct {
		size int64
		name string
	}{{documents, "1003"}, {1500, "1500"}, {2000, "2000"}} {
		if from > 0 {
			plan.Steps = append(plan.Steps, planv1.Step{
				Name: "grow-" + checkpoint.name, Kind: planv1.StepLoad, Threads: 3, BatchDocuments: 7,
				From: from, To: checkpoint.size, Documents: checkpoint.size,
			})
		}
		step := measured
		step.Name, step.GrowthOf, step.Documents = "mixed-"+checkpoint.name, "mixed", checkpoint.size
		plan.Steps = append(plan.Steps,
			planv1.Step{Name: "size-" + checkpoint.name, Kind: planv1.StepSize, Documents: checkpoint.size}, step)
		from = checkpoint.size
	}
	return plan
}

// checkpoint is what a report says of one step of a growth.
type checkpoint struct {
	Name             string
	Of               string
	At, Documents    int64
	Data, Operations int64
}

func TestACollectionGrowsFromCheckpointToCheckpoint(t *testing.T) {
	whole := &drivertest.Target{}
	complete := marked(1, "a", "FindOne")
	complete.Collections[0].DocumentCount = 2000
	merge(t, complete, whole)
	for name, pods := range map[string]int{"one pod": 1, "three pods": 3} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{}
			merged := merge(t, growing(pods, "FindOne"), target)
			want := []checkpoint{
				{Name: "size-1003", At: 1003, Documents: 1003, Data: 100300},
				{Name: "mixed-1003", Of: "mixed", At: 1003, Operations: 10},
				{Name: "grow-1500", At: 1500, Documents: 497},
				{Name: "size-1500", At: 1500, Documents: 1500, Data: 150000},
				{Name: "mixed-1500", Of: "mixed", At: 1500, Operations: 10},
				{Name: "grow-2000", At: 2000, Documents: 500},
				{Name: "size-2000", At: 2000, Documents: 2000, Data: 200000},
				{Name: "mixed-2000", Of: "mixed", At: 2000, Operations: 10},
			}
			if diff := cmp.Diff(want, checkpoints(merged.Steps[3:])); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(whole.Collections()["things"], target.Collections()["things"]); diff != "" {
				t.Errorf("documents that grew are not those that are loaded at once:\n%s", diff)
			}
			if got, want := states(target), "a Loading, a Clean, a Dirty"; got != want {
				t.Errorf("marks %q, want %q", got, want)
			}
		})
	}
}

func checkpoints(steps []reportv1.Step) []checkpoint {
	found := make([]checkpoint, 0, len(steps))
	for _, step := range steps {
		one := checkpoint{Name: step.Name, Of: step.GrowthOf, At: step.GrowthDocuments, Documents: step.Documents}
		if len(step.Sizes) > 0 {
			one.Data = step.Sizes[0].DataBytes
		}
		if step.Kind == string(planv1.StepMeasure) {
			for _, operation := range step.Operations {
				one.Operations += operation.Count
			}
		}
		found = append(found, one)
	}
	return found
}

func TestACheckpointIsCountedWhereNothingElseWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		kind string
		want string
	}{
		"reads":  {"FindOne", "holds 996 documents at the checkpoint of 1003"},
		"writes": {"InsertOne", ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan := growing(1, tc.kind)
			plan.Steps = append(plan.Steps[:2:2], plan.Steps[3:]...) // Without the Verify, which would find it first.
			_, err := drivertest.Run(t.Context(), plan, &drivertest.Target{Lose: 7})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestStepsThatTakeSizesNeedATargetThatKnowsThem(t *testing.T) {
	plan := growing(1, "FindOne")
	plan.Dataset = ""
	_, err := newEngine(plan, silent{&drivertest.Target{}}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), `step "size-1003"`) {
		t.Errorf("error %v", err)
	}
}
