package conversion

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// later is the version that is stored: all others are converted to it and from it.
var later = schema.GroupVersion{Group: benchv1alpha1.GroupVersion.Group, Version: "v1beta1"}

// Run is an imaginary BenchmarkRun of v1beta1, with one of each kind of change that a version may bring.
type Run struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              RunSpec                          `json:"spec,omitzero"`
	Status            benchv1alpha1.BenchmarkRunStatus `json:"status,omitzero"`
}

// RunSpec has what did not change from v1alpha1. Of what is embedded, that which changed is never set.
type RunSpec struct {
	benchv1alpha1.BenchmarkRunSpec `json:",inline"`

	// Steps and Growth are moved: they were in workload.
	Steps  []Step                `json:"steps,omitempty"`
	Growth *benchv1alpha1.Growth `json:"growth,omitempty"`
	// State is two fields made one: suspend and cancel.
	State *State `json:"state,omitempty"`
	// End is three fields in a struct of their own: cleanupPolicy, keepSeconds and ttlSecondsAfterFinished, renamed.
	End *End `json:"end,omitempty"`
	// Concurrency is removed.
}

// Step has duration in place of durationSeconds: another type, with values that the old one does not have.
type Step struct {
	benchv1alpha1.Step `json:",inline"`

	Duration *metav1.Duration `json:"duration,omitempty"`
}

// State is what a run is to do.
type State string

// The states.
const (
	Running   State = "Running"
	Suspended State = "Suspended"
	Cancelled State = "Cancelled"
)

// End is what happens at the end.
type End struct {
	CleanupPolicy      *benchv1alpha1.CleanupPolicy `json:"cleanupPolicy,omitempty"`
	KeepSeconds        *int32                       `json:"keepSeconds,omitempty"`
	DeleteAfterSeconds *int32                       `json:"deleteAfterSeconds,omitempty"`
}

// Hub implements conversion.Hub.
func (*Run) Hub() {}

// DeepCopyObject implements runtime.Object, as generated code would without the detour.
func (r *Run) DeepCopyObject() runtime.Object {
	copied := &Run{}
	mustCopy(r, copied)
	return copied
}

// mustCopy copies by JSON, which fails for none of these types.
func mustCopy(from, to any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err)
	}
}
