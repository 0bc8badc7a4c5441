package decide

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// What the load pods measured is merged and stored by one of them, and the operator is told what it comes to:
//
//	every load pod is done ──▶ the gate asks for the reports ──▶ load pod 0 merges and stores them ──▶ it tells
//	load pod 0 is gone, or the run fails ──▶ the gate asks ──▶ a Job of one pod does the same in its place
//
// A report that cannot be stored, for a quota or a policy, is tried again until it can, or storingSeconds are over.

// collecting is a run's way from what its load pods measured to a report that is stored.
type collecting struct{ *state }

func (s *state) collecting() collecting { return collecting{s} }

// Lookup says what is to be read of where the pods of a run are once its report is stored. That is the last moment at
// which all of them are there, since the pass in which the operator is told writes the verdict, after which they go;
// and there is one such pass, so that these reads are made once per run.
func Lookup(o *Observation) (collect.Lookup, bool) {
	answer := o.ConfigMaps[naming.CollectedConfigMap(o.Run.Name)]
	if answer == nil || answer.Data[reportv1alpha1.CollectedKey] == "" || condition.Ended(o.Run) {
		return collect.Lookup{}, false
	}
	s, err := look(o)
	if err != nil || !s.collecting().begun() {
		return collect.Lookup{}, false
	}
	lookup := s.scene().Lookup()
	if o.Prices != nil && o.Prices.Trouble == "" {
		lookup.Claims = s.scene().Claims()
	}
	return lookup, true
}

// begun says whether the reports are to be collected: every load pod is done, or has ended in a run that ends.
func (s collecting) begun() bool {
	if ends(s.Run) != nil {
		return s.silentByNow() && s.handedIn()
	}
	return s.stage.name == benchv1alpha1.StageCollecting
}

// handedIn says whether any load pod has left a report, whatever it holds.
func (s collecting) handedIn() bool {
	for i := range s.load.Plan.Pods {
		own := s.ConfigMaps[naming.PodConfigMap(s.Run.Name, i)]
		if own == nil {
			continue
		}
		if _, has := own.BinaryData[reportv1alpha1.ReportKey]; has {
			return true
		}
	}
	return false
}

// order is what the gate asks the collector for; empty while nothing is to be collected.
func (s collecting) order() string {
	if !s.begun() {
		return ""
	}
	asked := reportv1alpha1.CollectOrder{Undone: s.actions().Undone()}
	if cause := ends(s.Run); cause != nil {
		asked.Cause = cause.message
	}
	asked.Doubts, asked.Remarks = collect.SharedNode(sharing(s.state), s.gateway().described())
	if server := s.Run.Status.Server; server != nil {
		asked.CPULimitMillicores = ptr.Deref(server.CPULimitMillicores, 0)
	}
	text, err := reportv1alpha1.EncodeCollectOrder(asked)
	if err != nil { // Texts and numbers can always be encoded.
		return ""
	}
	return string(text)
}

const (
	// collectorGrace is the time that what load pods told last may be on its way.
	collectorGrace = 2 * time.Second
	// salvageTime is how long a run that fails, or is cancelled, may go on trying to store what was measured until then.
	salvageTime = time.Hour
	// collectorSilence is how long nothing may be heard of a collector, which tells what keeps it, until another one is
	// made.
	collectorSilence = 5 * time.Minute
)

// withoutPodZero says whether load pod 0 will not collect the reports: it has ended, is not where it would, or is not
// heard of.
func (s collecting) withoutPodZero() bool {
	switch {
	case !s.begun():
		return false
	case ends(s.Run) != nil && s.podZeroWaits() && keptOnFailure(s.Run):
		return false // It is not told to end.
	case ends(s.Run) != nil || s.trouble() == "" && s.waitedLong(collectorSilence):
		// Of a run that ends, load pod 0 was told to end as well.
		return true
	case !s.waitedLong(collectorGrace):
		return false
	}
	return !s.podZeroWaits()
}

// podZeroWaits says whether load pod 0 is where it is asked to collect.
func (s collecting) podZeroWaits() bool {
	first := load.Pod(s.current, 0)
	return first != nil && first.DeletionTimestamp == nil && first.Status.Phase == corev1.PodRunning &&
		s.load.PodDone(first)
}

// jobs are what the collecting needs beside the gate.
func (s collecting) jobs() []*batchv1.Job {
	switch {
	case s.CollectJob != nil:
		return []*batchv1.Job{s.CollectJob}
	case s.withoutPodZero():
		return []*batchv1.Job{load.Collector{
			Run: s.Run, Hash: s.load.Hash, Image: s.Settings.LoadgenImage,
			Settings: podSettings(s.state), Target: TargetName(s.Run), Time: mostStoring,
		}.Job()}
	default:
		return nil
	}
}

// told is what the collector tells of the run; what is told in words that make no sense is a failure.
func (s collecting) told() (*reportv1alpha1.Collected, *failure) {
	told, err := collect.Read(s.Run, s.load.Plan, s.load.Hash, s.ConfigMaps[naming.CollectedConfigMap(s.Run.Name)])
	switch {
	case err != nil:
		return nil, because(benchv1alpha1.ReasonReportMissing, "what the load pods measured cannot be read: %s", err)
	case told != nil && told.Failed != "":
		return nil, because(benchv1alpha1.ReasonReportMissing,
			"the load pods ended, and their reports cannot be read: %s", told.Failed)
	case told != nil:
		return told, nil
	}
	return nil, s.failed()
}

// failed is why nobody will tell; nil while somebody may.
func (s collecting) failed() *failure {
	if s.completed() && !s.handedIn() && s.waitedLong(collectorGrace) {
		return because(benchv1alpha1.ReasonReportMissing, "the load pods ended without an error and without a report")
	}
	if failed := condition.OfJob(s.CollectJob, batchv1.JobFailed); failed != nil {
		why := failed.Message
		for i := range s.CollectPods {
			if said := podfault.TerminationMessage(&s.CollectPods[i], naming.CollectContainer); said != "" {
				why = said
			}
		}
		return because(benchv1alpha1.ReasonReportMissing,
			"the reports of the load pods could not be collected: %s: %s", failed.Reason, why)
	}
	if ends(s.Run) != nil && s.waitedLong(salvageTime) {
		return because(benchv1alpha1.ReasonReportMissing, "%s", s.says())
	}
	if due, name := collectingDue(s.state); !due.IsZero() && !s.Now.Before(due) {
		return because(benchv1alpha1.ReasonReportMissing, "%s is over (%s): %s", name, due.UTC().Format(time.RFC3339),
			s.withTrouble(s.says()))
	}
	return nil
}

// says is what a run that collects waits for.
func (s collecting) says() string {
	doing := "load pod 0 merges and stores the reports"
	if s.CollectJob != nil {
		doing = fmt.Sprintf("Job %s merges and stores the reports in place of load pod 0", s.CollectJob.Name)
		if load.Suspended(s.CollectJob) {
			doing += "; it is suspended, and somebody has to let it go"
		}
		if fault, ok := podfault.Diagnose(s.CollectPods, s.Now); ok {
			doing += "; its pod does not run: " + fault.Message
		}
	}
	if trouble := s.trouble(); trouble != "" {
		doing += "; the last attempt failed: " + trouble
	}
	return doing
}

// trouble is what keeps the report from being stored, as the collector tells it; empty when nothing does.
func (s collecting) trouble() string {
	answer := s.ConfigMaps[naming.CollectedConfigMap(s.Run.Name)]
	if answer == nil {
		return ""
	}
	return answer.Data[reportv1alpha1.TroubleKey]
}

// decideCollecting takes a run whose pods are done to its result.
func decideCollecting(s *state) Decision {
	told, failed := s.collecting().told()
	switch {
	case told != nil:
		return Decision{Leave: true, Status: s.succeeded(*told)}
	case failed != nil:
		return s.lost(failed)
	default:
		return Decision{
			Place: s.collecting().place(), Desired: runObjects(s), Status: s.running(), Wait: s.wait(),
		}
	}
}

// place is the object in which the report will be stored, while nothing says that it was made: it comes before the
// plan, and before anything that could start. It is made once more when the collector finds that somebody
// has deleted it.
func (s collecting) place() *corev1.ConfigMap {
	answer := s.ConfigMaps[naming.CollectedConfigMap(s.Run.Name)]
	missing := answer != nil && answer.Data[reportv1alpha1.MissingKey] != ""
	if s.ConfigMaps[naming.PlanConfigMap(s.Run.Name, s.load.Hash)] != nil && !missing {
		return nil
	}
	return collect.Place(s.Run)
}
