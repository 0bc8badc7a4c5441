package decide

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Turn is what the queue answers to a run.
type Turn = queue.Turn

// Observation is everything that a decision about a run rests on, read at one instant.
type Observation struct {
	// Now is that instant.
	Now time.Time
	// Settings are what the operator was started with.
	Settings settings.Settings

	Run *benchv1alpha1.BenchmarkRun
	// Turn is what the queue says of the run.
	Turn Turn
	// Target is the one that has the name of the run's own, or that targetRef names; nil when there is none. It may
	// belong to another owner.
	Target *benchv1alpha1.BenchmarkTarget
	// Baseline is the target of the other side of a duet; nil when there is none, or it is not there.
	Baseline *benchv1alpha1.BenchmarkTarget
	// Owned is what the run controls, all of it but the merged report, which is not looked at.
	Owned []desired.Object
	// Quota is what Kueue says of a run that names one of its queues.
	Quota quota.State
	// Refused is why the API server refused for good what this very pass desired; without a reason it did not.
	Refused podfault.Fault
	// ConfigMaps that the run controls, by name. What the load pods reported is not in them.
	ConfigMaps map[string]*corev1.ConfigMap
	// Job of the load pods, or nil.
	Job *batchv1.Job
	// Pods of that Job.
	Pods []corev1.Pod
	// CollectJob collects the reports in place of load pod 0; nil while there is none. CollectPods are its pods.
	CollectJob  *batchv1.Job
	CollectPods []corev1.Pod
	// GatewayJob is that of the gateway that the load goes through; nil while there is none. GatewayPods are its pods.
	GatewayJob  *batchv1.Job
	GatewayPods []corev1.Pod
	// TargetPods are the pods of the run's own target, and Members those of any target that serve requests.
	TargetPods []corev1.Pod
	Members    []corev1.Pod
	// BaselineMembers are those of the other side of a duet.
	BaselineMembers []corev1.Pod

	// FailedCreates are the events that say why load pods could not be created; read when PodsMissing says so.
	FailedCreates []corev1.Event
	// Vicinity is who else is on the nodes of the members, read when VicinityOf says so; nil: it was not.
	Vicinity *collect.Vicinity
	// Prices are the price list, read when PriceList says so; nil: it was not, or there is none.
	Prices *collect.Prices
	// Surroundings are read when Lookup says so.
	Surroundings collect.Surroundings
}

// Decision is what is to be done about a run.
type Decision struct {
	// Place is the object in which the merged report will be stored, which is made before all others; nil when it was
	// made.
	Place *corev1.ConfigMap
	// Unplace is true when that object is to be removed, since nothing was measured that could be stored in it.
	Unplace bool
	// Quota is what is to be done about the run's Workload.
	Quota quota.Change
	// Remove is true when the run itself is to be deleted, as it was observed, and nothing else is to be done.
	Remove bool
	// Leave is true when the objects that the run controls are to stay as they are.
	Leave bool
	// Drop are objects that go even with Leave.
	Drop []desired.Object
	// Desired objects; others that the run controls are removed. Of no meaning with Leave.
	Desired []desired.Object
	// Status to be written when it differs from the observed one.
	Status benchv1alpha1.BenchmarkRunStatus
	// Deletions are members' pods that are deleted after the desired objects were made.
	Deletions []*corev1.Pod
	// Datasets are what is to be noted in the status of targets; nil when these are right.
	Datasets []Noted
	// Wait is the time until the run has to be looked at again although nothing changed. 0: never.
	Wait time.Duration
}

// Noted are the datasets that the status of a target is to hold.
type Noted struct {
	Target   *benchv1alpha1.BenchmarkTarget
	Datasets []benchv1alpha1.DatasetStatus
}

// AssignJob puts a Job of the run where decisions look for it.
func AssignJob(o *Observation, job *batchv1.Job) {
	switch job.Name {
	case naming.CollectJob(o.Run.Name):
		o.CollectJob = job
	case naming.Gateway(o.Run.Name):
		o.GatewayJob = job
	default:
		o.Job = job
	}
}

// inline says whether the run declares a target of its own.
func (o *Observation) inline() bool {
	return o.Run.Spec.Target != nil
}

// admitted says whether it is the run's turn, or was.
func (o *Observation) admitted() bool { return admit.Admits(o.Turn, o.Run) }

// MadeNothing says whether a run is before its turn, so that nothing of its own is there to be read.
func MadeNothing(o *Observation) bool {
	return !condition.Ended(o.Run) && !o.admitted()
}

// podCreation is the time that the Job controller is given before its silence is looked into.
const podCreation = 2 * time.Second

// PodsMissing is the Job that has had the time to make its pods and has not, so that its events are worth reading: that
// of the load pods or, before there is one, that of the gateway. Nil: none is.
func PodsMissing(o *Observation) *batchv1.Job {
	job, current := o.starting()
	if job == nil || load.Suspended(job) || len(current) > 0 && len(current) >= load.Wanted(job) ||
		condition.Ended(o.Run) || condition.OfJob(job, batchv1.JobComplete) != nil ||
		condition.OfJob(job, batchv1.JobFailed) != nil || o.Now.Sub(job.CreationTimestamp.Time) < podCreation {
		return nil
	}
	return job
}

// TargetName is the name of the BenchmarkTarget that a run measures.
func TargetName(run *benchv1alpha1.BenchmarkRun) string {
	if run.Spec.TargetRef != nil {
		return run.Spec.TargetRef.Name
	}
	return naming.InlineTarget(run.Name)
}

// BaselineName is the name of the BenchmarkTarget on the other side of a run's duet; empty when it has none.
func BaselineName(run *benchv1alpha1.BenchmarkRun) string {
	if run.Spec.Duet == nil {
		return ""
	}
	return run.Spec.Duet.Baseline.TargetRef.Name
}
