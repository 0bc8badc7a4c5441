package decide

import (
	"strings"
	"testing"
	"time"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// givenBy has the plan of the load pods be one that another release of the operator wrote.
func (w *world) givenBy(rewrite func(plan string) string) {
	w.t.Helper()
	given := w.ConfigMaps[naming.PlanConfigMap(w.Run.Name, w.Run.Status.PlanHash)]
	text := rewrite(given.Data[naming.PlanKey])
	hash := planv1alpha1.Hash([]byte(text))
	other := given.DeepCopy()
	other.Name = naming.PlanConfigMap(w.Run.Name, hash)
	other.Data[naming.PlanKey] = text
	for i := range w.Owned {
		if w.Owned[i].GetName() == given.Name {
			w.Owned[i] = other
		}
	}
	delete(w.ConfigMaps, given.Name)
	w.ConfigMaps[other.Name] = other
	w.Run.Status.PlanHash = hash
}

// TestPlanOfALaterReleaseIsFollowed: an operator that was set back sees how far the load pods are, by what it knows of
// their plan.
func TestPlanOfALaterReleaseIsFollowed(t *testing.T) {
	w := newWorld(t)
	w.toMeasuring()
	w.givenBy(func(plan string) string { return strings.Replace(plan, "{", `{"haste":{"much":true},`, 1) })
	hash, owned := w.Run.Status.PlanHash, len(w.Owned)
	w.settle()
	if got := w.status(progressing); got != "True Measuring" || w.Run.Status.PlanHash != hash || len(w.Owned) != owned {
		t.Errorf("Progressing is %q, hash %s, want %s; %d objects, want %d", got, w.Run.Status.PlanHash, hash, len(w.Owned),
			owned)
	}
}

// TestPlanOfAnotherFormatIsLeftAlone: nothing of the run is made again, removed or judged, and it is told why.
func TestPlanOfAnotherFormatIsLeftAlone(t *testing.T) {
	for name, rewrite := range map[string]func(string) string{
		"another version": func(plan string) string {
			return strings.Replace(plan, planv1alpha1.Version, "plan.mongobench.dev/v9", 1)
		},
		"other types": func(string) string { return `{"version":"` + planv1alpha1.Version + `","steps":"many"}` },
		"no steps":    func(string) string { return `{"version":"` + planv1alpha1.Version + `","acts":[1]}` },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.toMeasuring()
			w.givenBy(rewrite)
			hash, owned := w.Run.Status.PlanHash, len(w.Owned)
			w.pass(100 * 24 * time.Hour) // No deadline is read from a plan that is not known.
			decision := w.settle()
			if !decision.Leave || decision.Wait != time.Minute || len(w.Owned) != owned {
				t.Errorf("leave %t, wait %s; %d objects, want %d", decision.Leave, decision.Wait, len(w.Owned), owned)
			}
			said := condition.Find(w.Run.Status.Conditions, progressing)
			if w.status(progressing) != "True Measuring" || !strings.Contains(said.Message, "another release of the operator") {
				t.Errorf("Progressing is %q: %s", w.status(progressing), said.Message)
			}
			if w.Run.Status.PlanHash != hash || condition.Ended(w.Run) || len(decision.Desired) > 0 {
				t.Errorf("hash %s, want %s; ended %t", w.Run.Status.PlanHash, hash, condition.Ended(w.Run))
			}
		})
	}
}
