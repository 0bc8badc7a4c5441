package decide

import (
	"strings"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collecting says whether the reports are to be read: every load pod is done and there is no verdict yet. It returns
// the names of the ConfigMaps of the load pods in their order.
func Collecting(o *Observation) ([]string, bool) {
	if o.Run.DeletionTimestamp != nil || condition.Ended(o.Run) {
		return nil, false
	}
	s, err := look(o)
	if err != nil || s.stage.name != benchv1alpha1.StageCollecting {
		return nil, false
	}
	names := make([]string, 0, s.load.Plan.Pods)
	for i := range s.load.Plan.Pods {
		names = append(names, naming.PodConfigMap(o.Run.Name, i))
	}
	return names, true
}

// Lookup says what is to be read of where the pods of a run are once its report is stored. That is the last moment at
// which all of them are there, since the pass that reads the report writes the verdict, after which they go; and there
// is one such pass, so that these reads are made once per run.
func Lookup(o *Observation) (collect.Lookup, bool) {
	if o.Report == nil {
		return collect.Lookup{}, false
	}
	if _, collecting := Collecting(o); !collecting {
		return collect.Lookup{}, false
	}
	return (&state{Observation: *o}).scene().Lookup(), true
}

// decideCollecting takes a run whose pods are done to its result.
func decideCollecting(s *state) Decision {
	c := collect.Reports{
		Run: s.Run, PlanHash: s.load.Hash, Stored: s.Report, Collection: s.Collection, Actions: s.actions(),
	}.Outcome()
	if c.Report != nil {
		return decideResult(s, *c.Report, c.Digest)
	}
	if missing := reportMissing(s, c); missing != nil {
		return Decision{Leave: true, Status: s.failed(missing)}
	}
	decision := Decision{Desired: runObjects(s), Status: s.running(), Wait: s.wait(), Changes: s.actions().Changes()}
	if c.Store != nil {
		decision.Desired = append(decision.Desired, c.Store)
	}
	return decision
}

func decideResult(s *state, stored reportv1alpha1.Report, digest string) Decision {
	summary, err := collect.Result(s.Run.Name, stored, digest)
	var doubts []result.Doubt
	if err == nil {
		doubts, err = result.Doubts(stored)
	}
	if err != nil {
		unreadable := because(benchv1alpha1.ReasonReportMissing, "%s", err.Error())
		return Decision{Leave: true, Status: s.failed(unreadable)}
	}
	status := s.succeeded(summary, s.scene().Fingerprint(s.load.Plan, s.Surroundings, stored), doubts)
	collect.ReadBack(status.Server, stored.Server)
	collect.Fit(&status)
	return Decision{Leave: true, Status: status}
}

// reportMissing is the verdict on a run whose reports do not come any more: the pods have ended, or had time enough.
func reportMissing(s *state, c collect.Outcome) *failure {
	due, _ := s.stage.due(s)
	over := !due.IsZero() && !s.Now.Before(due)
	if over && c.Store != nil {
		return because(benchv1alpha1.ReasonReportMissing, "%s", s.withTrouble("the merged report could not be stored"))
	}
	if len(c.Faults) == 0 || (!over && !s.completed()) {
		return nil
	}
	return because(benchv1alpha1.ReasonReportMissing,
		"the load pods ended, and their reports cannot be read: %s", strings.Join(c.Faults, "; "))
}
