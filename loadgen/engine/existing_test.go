package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// onExisting is the plan of what another run, or whoever, has loaded.
func onExisting(writable bool, kinds ...string) planv1.Plan {
	plan := marked(1, "a", kinds...)
	plan.Existing = &planv1.Existing{Writable: writable, SampledKeys: 10}
	plan.Steps = append([]planv1.Step{{Name: "survey", Kind: planv1.StepSurvey}}, plan.Steps[3:]...)
	return plan
}

// loadedTarget is one that a run has loaded.
func loadedTarget(t *testing.T) *drivertest.Target {
	t.Helper()
	target := &drivertest.Target{}
	if _, err := newEngine(marked(1, "a", "FindOne"), target).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return target
}

func TestAnExistingDatasetOfARunAtWorkIsNotMeasured(t *testing.T) {
	for name, writable := range map[string]bool{"by reads": false, "by writes": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := loadedTarget(t)
				claim := loadgen.Claim{Holder: "u", Name: "bench/other", Beat: 7}
				if _, err := target.SetClaim(t.Context(), "test", nil, &claim); err != nil {
					t.Fatal(err)
				}
				heartbeat(t, target)
				_, err := newEngine(onExisting(writable, "FindOne"), target).Run(t.Context())
				if err == nil || !strings.Contains(err.Error(), `"bench/other" is loading or measuring there`) {
					t.Errorf("error %v, want that another run is at work", err)
				}
			})
		})
	}
}

func TestAnExistingDatasetIsLeftWithoutATrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := loadedTarget(t)
		before := states(target)
		// Of a run that is gone a claim is left.
		claim := loadgen.Claim{Holder: "gone", Name: "gone", Beat: 7}
		if _, err := target.SetClaim(t.Context(), "test", nil, &claim); err != nil {
			t.Fatal(err)
		}
		report, err := newEngine(onExisting(false, "FindOne"), target).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report.Steps[0].Documents == 0 || report.Steps[1].Operations[0].Count != 10 {
			t.Errorf("report %+v", report.Steps)
		}
		if after := states(target); after != before {
			t.Errorf("marks %s became %s", before, after)
		}
		if held, err := target.Claim(t.Context(), "test"); err != nil || held == nil || *held != claim {
			t.Errorf("the claim became %+v, error %v", held, err)
		}
	})
}

func TestWhatWritesToAnExistingDatasetMarksItAsAnother(t *testing.T) {
	target := loadedTarget(t)
	if _, err := newEngine(onExisting(true, "InsertOne"), target).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if marks := target.Marks(); marks[len(marks)-1].State != reportv1.DatasetDirty {
		t.Errorf("marks %s", states(target))
	}
}

func TestWhatIsNotAllowedOnAnExistingDatasetIsRefused(t *testing.T) {
	loads := onExisting(true, "FindOne")
	loads.Steps = append(loads.Steps, planv1.Step{Name: "load", Kind: planv1.StepLoad, Threads: 1, BatchDocuments: 1})
	sampled := onExisting(false, "FindOne")
	sampled.Collections[0].DocumentCount = 0
	for want, plan := range map[string]planv1.Plan{
		`changes documents or indexes of an existing dataset`: onExisting(false, "InsertOne"),
		`is of kind Load, and the plan is of an existing`:     loads,
		`the keys of an existing dataset cannot be read by`:   sampled,
	} {
		if _, err := newEngine(plan, loadedTarget(t)).Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
