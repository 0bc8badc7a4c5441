package decide

import (
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

// TestWhatIsRefusedForGoodEndsARunThatHasNotBegun: and none that has, since its measurement would be lost.
func TestWhatIsRefusedForGoodEndsARunThatHasNotBegun(t *testing.T) {
	refusal := podfault.Fault{Reason: benchv1alpha1.ReasonForbidden, Message: "Job r-load is invalid", Terminal: true}
	passing := refusal
	passing.Terminal = false
	for name, tc := range map[string]struct {
		play  func(*world)
		fault podfault.Fault
		want  string
	}{
		"after some seconds":        {func(w *world) { w.toJob(); w.pass(20 * time.Second) }, refusal, "Job r-load"},
		"not before":                {func(w *world) { w.toJob(); w.pass(19 * time.Second) }, refusal, ""},
		"not if it may mend itself": {func(w *world) { w.toJob(); w.pass(20 * time.Second) }, passing, ""},
		"not while it is measured":  {func(w *world) { w.toMeasuring(); w.pass(20 * time.Second) }, refusal, ""},
		"not while it is collected": {func(w *world) { w.toCollecting(); w.pass(20 * time.Second) }, refusal, ""},
		"in a run without a Job":    {func(w *world) { w.settle(); w.pass(20 * time.Second) }, refusal, "Job r-load"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			w.observe()
			decision := Refused(w.Observation, tc.fault)
			if decision == nil {
				decision = &Decision{}
			}
			verdict := condition.Find(decision.Status.Conditions, succeeded)
			if (verdict == nil) != (tc.want == "") || verdict != nil && !strings.HasPrefix(verdict.Message, tc.want) {
				t.Errorf("the verdict is %v, want %q", verdict, tc.want)
			}
		})
	}
}

// TestAnImageThatIsNotAllowedIsRefused with its place, before anything is made.
func TestAnImageThatIsNotAllowedIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Settings.AllowedImages = []string{"registry.example.com/bench/*"}
	w.Run.Spec.LoadGenerator.Image = new("evil.example.com/loadgen:1")
	w.settle()
	said := condition.Find(w.Run.Status.Conditions, accepted)
	if said.Status != isFalse || !strings.HasPrefix(said.Message, "spec.loadGenerator.image: Invalid value") {
		t.Errorf("Accepted is %s: %s", said.Status, said.Message)
	}
	if len(w.Owned) > 0 {
		t.Errorf("made: %v", remaining(&w.Observation))
	}
}

// TestAFeatureWhoseGateIsOffIsRefused with its place and the gate.
func TestAFeatureWhoseGateIsOffIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Settings.Gates = settings.Gates{settings.GateHandlerSocket: false}
	w.Run.Spec.LoadGenerator.Client = new(benchv1alpha1.ClientHandlerSocket)
	w.settle()
	said := condition.Find(w.Run.Status.Conditions, accepted)
	if said.Status != isFalse || !strings.Contains(said.Message, "spec.loadGenerator.client: Forbidden") ||
		!strings.Contains(said.Message, "the feature gate HandlerSocket off") {
		t.Errorf("Accepted is %s: %s", said.Status, said.Message)
	}
}
