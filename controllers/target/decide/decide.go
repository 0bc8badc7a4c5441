package decide

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/api/v1alpha1/validation"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

// Observation is all that a decision depends on.
type Observation struct {
	Now      time.Time
	Settings settings.Settings
	Target   *benchv1alpha1.BenchmarkTarget
	// Candidate are fresh random credentials, for Secrets that do not exist yet.
	Candidate Credentials

	// What the target owns; nil is absent.
	KeyfileSecret  *corev1.Secret
	AdminSecret    *corev1.Secret
	LoadSecret     *corev1.Secret
	StatefulSet    *appsv1.StatefulSet
	TopologyJob    *batchv1.Job
	TopologyResult *corev1.ConfigMap

	MemberPods   []corev1.Pod
	TopologyPods []corev1.Pod
	// FailedCreates are the events of the StatefulSet and the Job, read only when their pods are missing for a while.
	FailedCreates []corev1.Event
	// ExternalURI says what was found of the Secret of an external target.
	ExternalURI SecretState
	// ApplyFault is why the API server refused what this very reconcile desired; without a reason it did not.
	ApplyFault podfault.Fault
}

// Credentials are what the Secrets of a target hold.
type Credentials struct {
	Keyfile       []byte
	AdminPassword []byte
	LoadPassword  []byte
}

// SecretState is what was found of the Secret of an external target.
type SecretState string

// The states of the Secret of an external target.
const (
	SecretFound      SecretState = "Found"
	SecretMissing    SecretState = "Missing"
	SecretKeyMissing SecretState = "KeyMissing"
)

// Decision is what should be.
type Decision struct {
	// Desired is everything that the target owns; what is not in it is removed.
	Desired []desired.Object
	Status  benchv1alpha1.BenchmarkTargetStatus
	// RequeueAfter is when the clock alone may change the decision. 0 is never.
	RequeueAfter time.Duration
}

// Decide says what should be.
func Decide(o Observation) (Decision, error) {
	status, accepted := accept(o)
	if !accepted {
		return Decision{Status: status}, nil
	}
	objects, err := objects(o)
	if err != nil {
		return Decision{Status: status}, err
	}
	status, requeue := progress(o, status)
	return Decision{Desired: objects, Status: status, RequeueAfter: requeue}, nil
}

// accept checks the specification once. It cannot change, and what was accepted is not judged again by the stricter
// checks of a later version, which would take down a target that is in use.
func accept(o Observation) (benchv1alpha1.BenchmarkTargetStatus, bool) {
	status := *o.Target.Status.DeepCopy()
	conditions := condition.New(status.Conditions, o.Target.Generation, o.Now)
	if condition.IsTrue(status.Conditions, benchv1alpha1.TargetAccepted) {
		return status, true
	}
	if errs := validation.ValidateTarget(o.Target); len(errs) > 0 {
		message := errs.ToAggregate().Error()
		conditions.False(benchv1alpha1.TargetAccepted, benchv1alpha1.ReasonInvalid, message)
		conditions.False(benchv1alpha1.TargetReady, benchv1alpha1.ReasonNotAccepted, "the specification is invalid")
		conditions.True(benchv1alpha1.TargetStalled, benchv1alpha1.ReasonNotAccepted, message)
		status.Conditions = conditions.List
		return status, false
	}
	conditions.True(benchv1alpha1.TargetAccepted, benchv1alpha1.ReasonValid, "the specification is valid")
	status.Conditions = conditions.List
	if status.ProvisioningStartTime == nil {
		status.ProvisioningStartTime = seconds(o.Now)
	}
	return status, true
}

func objects(o Observation) ([]desired.Object, error) {
	t := o.Target
	if t.Spec.Topology == benchv1alpha1.TopologyExternal && o.ExternalURI != SecretFound && o.TopologyJob == nil {
		return nil, nil
	}
	plan, err := topologyPlan(t)
	if err != nil {
		return nil, fmt.Errorf("making the topology plan: %w", err)
	}
	all := []desired.Object{
		plan, topologyResult(t), topologyServiceAccount(t), topologyRole(t), topologyRoleBinding(t),
		topologyJob(t, o.Settings, plan.Name),
	}
	if t.Spec.Topology == benchv1alpha1.TopologyExternal {
		return all, nil
	}
	return slices.Concat([]desired.Object{
		keyfileSecret(t, o.KeyfileSecret, o.Candidate),
		adminSecret(t, o.AdminSecret, o.Candidate),
		loadSecret(t, o.LoadSecret, o.Candidate),
		membersService(t),
		statefulSet(t, o.Settings),
	}, all), nil
}
