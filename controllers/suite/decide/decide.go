package decide

import (
	"fmt"
	"strings"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

const (
	// pollPeriod is how often something is looked at again that no watch tells of: a name that is taken, a quota, the
	// result of another suite.
	pollPeriod = time.Minute
	// maxRefusals is how many variants a message speaks of.
	maxRefusals = 3
)

// Decide says what is to be done about a suite.
func Decide(o Observation) Decision {
	switch {
	case o.Suite.DeletionTimestamp != nil: // What it made goes with it, by the owner references.
		return Decision{Status: *o.Suite.Status.DeepCopy()}
	case len(o.Invalid) > 0:
		return Decision{Status: rejected(&o, benchv1alpha1.ReasonInvalid, o.Invalid.ToAggregate().Error())}
	case len(o.Refusals) > 0:
		return Decision{
			Status: rejected(&o, benchv1alpha1.ReasonVariantInvalid, words(o.Refusals)), Wait: pollPeriod,
		}
	}
	r := look(&o)
	if occasion := (occasions{r}).occasion(); occasion != nil {
		return occasions{r}.begin(*occasion)
	}
	var decision Decision
	if r.completing() {
		decision = r.complete()
	} else {
		decision = r.goOn()
	}
	occasions{r}.note(&decision)
	return decision
}

// goOn takes a suite a step further that is not complete, or leaves one as it is that has been complete before.
func (r *revision) goOn() Decision {
	decision := Decision{Changes: r.changes(), Create: r.due()}
	decision.Status = r.status(len(decision.Create) > 0)
	upkeep{r}.placeTargets(&decision)
	upkeep{r}.retain(&decision)
	decision.Wait = r.wait(decision.Status)
	upkeep{r}.discard(&decision)
	return decision
}

// Probes are the objects that the API server is asked about before the first run of a revision is made. There are none
// once they were accepted, and for a variant that has a run.
func Probes(o *Observation) []Probe {
	accepted := condition.IsTrue(o.Suite.Status.Conditions, benchv1alpha1.SuiteAccepted)
	if o.Suite.DeletionTimestamp != nil || len(o.Invalid) > 0 || accepted && o.Suite.Status.Revision == o.Plan.Revision {
		return nil
	}
	var probes []Probe
	asked := make([]bool, len(o.Plan.Variants))
	for _, s := range o.Plan.Slots { // A variant's first slot is asked about; one that exists says that all were accepted.
		if o.Runs[s.Name] != nil {
			asked[s.Variant] = true
		}
	}
	for _, s := range o.Plan.Slots {
		if asked[s.Variant] {
			continue
		}
		asked[s.Variant] = true
		name := o.Plan.Variants[s.Variant].Name
		if o.shares() {
			probes = append(probes, Probe{Variant: name, Object: suite.Target(o.Suite, o.Plan, s.Variant)})
		}
		probes = append(probes, Probe{Variant: name, Object: suite.Run(o.Suite, o.Plan, s)})
	}
	return probes
}

func words(refusals []Refusal) string {
	said := make([]string, 0, len(refusals))
	for _, refusal := range refusals {
		said = append(said, fmt.Sprintf("variant %q: %s", refusal.Variant, refusal.Message))
	}
	return strings.Join(present.First(said, maxRefusals, "and %d more"), "; ")
}

// wait is the time until the suite must be looked at again, when nothing else wakes the controller.
func (r *revision) wait(status benchv1alpha1.BenchmarkSuiteStatus) time.Duration {
	var next time.Duration
	if due := r.deadline(status.StartTime); !r.settled && !due.IsZero() && due.After(r.Now) {
		next = due.Sub(r.Now)
	}
	if r.awaitsBaseline(status.Conditions) {
		next = sooner(next, pollPeriod)
	}
	if until := status.AcknowledgedUntil; until != nil {
		next = sooner(next, until.Sub(r.Now))
	}
	return next
}
