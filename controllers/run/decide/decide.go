package decide

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// Decide says what is to be done about a run.
func Decide(o Observation) Decision {
	switch {
	case o.Run.DeletionTimestamp != nil: // Its objects go with it, by their owner references.
		return Decision{Leave: true, Status: *o.Run.Status.DeepCopy(), Changes: act.Heal(o.Run, o.Members)}
	case condition.Ended(o.Run) && condition.IsFalse(o.Run.Status.Conditions, benchv1alpha1.RunProgressing):
		return finished(&o)
	case condition.Ended(o.Run):
		return cleanUp(&o)
	}
	// What was accepted stays accepted, whatever a later version of the operator would say.
	if !condition.IsTrue(o.Run.Status.Conditions, benchv1alpha1.RunAccepted) {
		if errs := validation.ValidateRun(o.Run); len(errs) > 0 {
			return Decision{Leave: true, Status: rejected(&o, errs)}
		}
	}
	s, err := look(&o)
	if err != nil {
		return Decision{Leave: true, Status: rejected(&o, field.ErrorList{field.InternalError(field.NewPath("spec"), err)})}
	}
	for _, early := range earlyDecisions {
		if decision := early(s); decision != nil {
			return *decision
		}
	}
	decide := decideRunning
	if s.stage.name == benchv1alpha1.StageCollecting {
		decide = decideCollecting
	}
	decision := decide(s)
	decision.Datasets = datasets(s)
	return decision
}

// earlyDecisions come before those on the stage that a run is in, in this order.
var earlyDecisions = []func(*state) *Decision{
	cancelled,      // it is to end
	suspended,      // it had begun, and is to stop
	nameTaken,      // its target's name is somebody else's
	databaseClosed, // the target does not let it write
	targetRefuses,  // the target does not let it act, or its database cannot
	awaitTurn,      // it is not its turn, or has just become so
}

// decideRunning goes on with a run unless there is a cause to end it. A cause that may have a better one behind it
// waits.
func decideRunning(s *state) Decision {
	cause := firstCause(s)
	if cause == nil {
		return Decision{Desired: runObjects(s), Status: s.running(), Wait: s.wait(), Changes: s.actions().Changes()}
	}
	if left := cause.graceLeft(s.Now); left > 0 {
		return Decision{Leave: true, Status: s.running(), Wait: min(left, s.wait())}
	}
	return Decision{Leave: true, Status: s.failed(cause)}
}

// cancelled decides on a run that is to end without a result.
func cancelled(s *state) *Decision {
	if !ptr.Deref(s.Run.Spec.Cancel, false) {
		return nil
	}
	cancelled := because(benchv1alpha1.ReasonCancelled, "spec.cancel is true")
	return &Decision{Leave: true, Status: s.failed(cancelled), Datasets: datasets(s)}
}

// suspended decides on a run that had begun and is to stop. First the status says so, so that nobody takes what is
// missing for lost; then what the run made is removed; and when all of it is gone the place is free. A run that is
// resumed meanwhile goes that way to its end as well, and gets in line again. One whose load pods are done is finished
// rather than thrown away.
func suspended(s *state) *Decision {
	if !admit.Holds(s.Run) {
		return nil
	}
	begun := admit.Stopping(s.Run)
	if !begun && (!admit.Suspended(s.Run) || s.stage.name == benchv1alpha1.StageCollecting) {
		return nil
	}
	decision := &Decision{Leave: !begun, Changes: act.Heal(s.Run, s.Members), Datasets: datasets(s), Wait: pollPeriod}
	left := remaining(&s.Observation)
	s.stage = stages[0] // Queued
	decision.Status = s.running()
	if begun && len(left) == 0 {
		return decision
	}
	c := condition.In(&decision.Status.Conditions, s.Run.Generation, s.Now)
	c.True(benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted, removingMessage)
	c.True(benchv1alpha1.RunProgressing, s.stage.name, condition.Short(removingMessage+": "+strings.Join(left, ", ")))
	return decision
}

const removingMessage = "the run was suspended and will start over; what it created is being removed"

// awaitTurn decides on a run whose turn it is not, and on one whose turn it has just become: its status says so before
// anything of it is made. Whatever happens to the operator in between, a run that has begun is known to have.
func awaitTurn(s *state) *Decision {
	if admit.Holds(s.Run) {
		return nil
	}
	return &Decision{Leave: true, Status: s.running(), Wait: s.wait()}
}

// Turn is what the queue answers to a run.
type Turn = queue.Turn

// Observation is everything that a decision about a run rests on, read at one instant.
type Observation struct {
	// Now is that instant.
	Now time.Time
	// LoadgenImage is the image of load pods whose run names none.
	LoadgenImage string

	Run *benchv1alpha1.BenchmarkRun
	// Turn is what the queue says of the run.
	Turn Turn
	// Target is the one that has the name of the run's own, or that targetRef names; nil when there is none. It may
	// belong to somebody else.
	Target *benchv1alpha1.BenchmarkTarget
	// Owned is what the run controls, all of it but the stored report.
	Owned []desired.Object
	// ConfigMaps that the run controls, by name. What the load pods reported is not in them.
	ConfigMaps map[string]*corev1.ConfigMap
	// Job of the load pods, or nil.
	Job *batchv1.Job
	// Pods of that Job.
	Pods []corev1.Pod
	// TargetPods are the pods of the run's own target, and Members those of any target that serve requests.
	TargetPods []corev1.Pod
	Members    []corev1.Pod

	// FailedCreates are the events that say why load pods could not be created; read when PodsMissing says so.
	FailedCreates []corev1.Event
	// Collection is what the load pods reported, and Report the ConfigMap in which all of it is stored; read when
	// Collecting says so.
	Collection *collect.Collection
	Report     *corev1.ConfigMap
	// Surroundings are read when Lookup says so.
	Surroundings collect.Surroundings
}

// Decision is what is to be done about a run.
type Decision struct {
	// Leave is true when the objects that the run controls are to stay as they are.
	Leave bool
	// Desired objects; others that the run controls are removed. Of no meaning with Leave.
	Desired []desired.Object
	// Status to be written when it differs from the observed one.
	Status benchv1alpha1.BenchmarkRunStatus
	// Changes of members' pods, which are made after the desired objects, and with Leave as well.
	Changes []act.Change
	// Datasets are those that the status of the target is to hold; nil when it is right.
	Datasets []benchv1alpha1.DatasetStatus
	// Wait is the time until the run has to be looked at again although nothing changed. 0: never.
	Wait time.Duration
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

// PodsMissing says whether the load Job has had the time to make its pods and has not, so that its events are worth
// reading.
func PodsMissing(o *Observation) bool {
	if o.Job == nil || load.Suspended(o.Job) || len(o.Pods) > 0 && len(o.Pods) >= load.Wanted(o.Job) {
		return false
	}
	return !condition.Ended(o.Run) && !load.Is(o.Job, batchv1.JobComplete) && !load.Is(o.Job, batchv1.JobFailed) &&
		o.Now.Sub(o.Job.CreationTimestamp.Time) >= podCreation
}

// TargetName is the name of the BenchmarkTarget that a run measures.
func TargetName(run *benchv1alpha1.BenchmarkRun) string {
	if run.Spec.TargetRef != nil {
		return run.Spec.TargetRef.Name
	}
	return naming.InlineTarget(run.Name)
}
