package conversion

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// What a version has no place for is kept in an annotation, which is named after the version that has one.
const (
	keptOfAlpha = "conversion.mongobench.dev/v1alpha1"
	keptOfBeta  = "conversion.mongobench.dev/v1beta1"
)

// spoke is a BenchmarkRun of v1alpha1 with the methods that it would have itself if this were no spike.
type spoke struct {
	benchv1alpha1.BenchmarkRun `json:",inline"`
}

// DeepCopyObject implements runtime.Object.
func (s *spoke) DeepCopyObject() runtime.Object { return &spoke{*s.DeepCopy()} }

// alphaOnly is what v1beta1 has no place for.
type alphaOnly struct {
	Concurrency *benchv1alpha1.Concurrency `json:"concurrency,omitempty"`
	// Suspend and Cancel say more than State: which of them is set, and what a cancelled run was before.
	Suspend *bool `json:"suspend,omitempty"`
	Cancel  *bool `json:"cancel,omitempty"`
}

// betaOnly is what v1alpha1 has no place for.
type betaOnly struct {
	// Durations of steps by their names, where they are no whole seconds.
	Durations map[string]metav1.Duration `json:"durations,omitempty"`
}

// ConvertTo implements conversion.Convertible.
func (s *spoke) ConvertTo(hub conversion.Hub) error {
	to, ok := hub.(*Run)
	if !ok {
		return fmt.Errorf("converting to %T: is no v1beta1", hub)
	}
	from := s.DeepCopy()
	to.ObjectMeta, to.Status = from.ObjectMeta, from.Status
	var kept betaOnly
	if err := take(&to.ObjectMeta, keptOfBeta, &kept); err != nil {
		return err
	}
	spec := from.Spec
	to.Spec.Growth, to.Spec.State = spec.Workload.Growth, stateOf(spec.Suspend, spec.Cancel)
	if end := (End{spec.CleanupPolicy, spec.KeepSeconds, spec.TTLSecondsAfterFinished}); end != (End{}) {
		to.Spec.End = &end
	}
	for _, step := range spec.Workload.Steps {
		converted := Step{Step: step, Duration: durationOf(step, kept)}
		converted.DurationSeconds = nil
		to.Spec.Steps = append(to.Spec.Steps, converted)
	}
	lost := alphaOnly{Concurrency: spec.Concurrency}
	if suspend, cancel := switches(to.Spec.State); !ptr.Equal(suspend, spec.Suspend) || !ptr.Equal(cancel, spec.Cancel) {
		lost.Suspend, lost.Cancel = spec.Suspend, spec.Cancel
	}
	to.Spec.BenchmarkRunSpec = unchanged(spec)
	return keep(&to.ObjectMeta, keptOfAlpha, lost, lost == alphaOnly{})
}

// ConvertFrom implements conversion.Convertible.
func (s *spoke) ConvertFrom(hub conversion.Hub) error {
	original, ok := hub.(*Run)
	if !ok {
		return fmt.Errorf("converting from %T: is no v1beta1", hub)
	}
	var from Run
	mustCopy(original, &from)
	s.ObjectMeta, s.Status = from.ObjectMeta, from.Status
	var kept alphaOnly
	if err := take(&s.ObjectMeta, keptOfAlpha, &kept); err != nil {
		return err
	}
	s.Spec = unchanged(from.Spec.BenchmarkRunSpec)
	s.Spec.Workload.Growth, s.Spec.Concurrency = from.Spec.Growth, kept.Concurrency
	s.Spec.Suspend, s.Spec.Cancel = switches(from.Spec.State)
	// What was changed since is not undone by what is kept.
	if ptr.Equal(stateOf(kept.Suspend, kept.Cancel), from.Spec.State) && from.Spec.State != nil {
		s.Spec.Suspend, s.Spec.Cancel = kept.Suspend, kept.Cancel
	}
	if end := from.Spec.End; end != nil {
		s.Spec.CleanupPolicy, s.Spec.KeepSeconds = end.CleanupPolicy, end.KeepSeconds
		s.Spec.TTLSecondsAfterFinished = end.DeleteAfterSeconds
	}
	lost := betaOnly{Durations: map[string]metav1.Duration{}}
	for _, step := range from.Spec.Steps {
		converted := step.Step
		if step.Duration != nil {
			converted.DurationSeconds = new(seconds(*step.Duration))
			if step.Duration.Duration%time.Second != 0 {
				lost.Durations[step.Name] = *step.Duration
			}
		}
		s.Spec.Workload.Steps = append(s.Spec.Workload.Steps, converted)
	}
	return keep(&s.ObjectMeta, keptOfBeta, lost, len(lost.Durations) == 0)
}

// unchanged is what both versions have in the same place.
func unchanged(spec benchv1alpha1.BenchmarkRunSpec) benchv1alpha1.BenchmarkRunSpec {
	spec.Workload, spec.Concurrency = benchv1alpha1.Workload{}, nil
	spec.Suspend, spec.Cancel = nil, nil
	spec.CleanupPolicy, spec.KeepSeconds, spec.TTLSecondsAfterFinished = nil, nil, nil
	return spec
}

func stateOf(suspend, cancel *bool) *State {
	switch {
	case suspend == nil && cancel == nil:
		return nil
	case ptr.Deref(cancel, false):
		return new(Cancelled)
	case ptr.Deref(suspend, false):
		return new(Suspended)
	default:
		return new(Running)
	}
}

// switches are the least that has to be set for a state.
func switches(state *State) (suspend, cancel *bool) {
	switch ptr.Deref(state, "") {
	case Cancelled:
		return nil, new(true)
	case Suspended:
		return new(true), nil
	case Running:
		return new(false), nil
	}
	return nil, nil
}

// durationOf is what is kept of a step, unless its seconds were changed since.
func durationOf(step benchv1alpha1.Step, kept betaOnly) *metav1.Duration {
	if step.DurationSeconds == nil {
		return nil
	}
	if exact, is := kept.Durations[step.Name]; is && seconds(exact) == *step.DurationSeconds {
		return &exact
	}
	return &metav1.Duration{Duration: time.Duration(*step.DurationSeconds) * time.Second}
}

func seconds(d metav1.Duration) int32 { return int32(d.Duration / time.Second) }

// keep puts what has no place into an annotation, if there is any.
func keep(of *metav1.ObjectMeta, annotation string, lost any, none bool) error {
	if none {
		return nil
	}
	text, err := json.Marshal(lost)
	if err != nil {
		return fmt.Errorf("keeping what has no place: %w", err)
	}
	metav1.SetMetaDataAnnotation(of, annotation, string(text))
	return nil
}

// take reads an annotation, and removes it.
func take(of *metav1.ObjectMeta, annotation string, into any) error {
	text, is := of.Annotations[annotation]
	if !is {
		return nil
	}
	delete(of.Annotations, annotation)
	if len(of.Annotations) == 0 {
		of.Annotations = nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("reading the annotation %s: %w", annotation, err)
	}
	return nil
}
