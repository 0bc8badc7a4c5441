package progress

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Load is the plan of a run, and how far its load pods are in it.
type Load struct {
	Plan planv1alpha1.Plan
	// Encoded is the plan as the load pods are given it, and Hash that of Encoded.
	Encoded []byte
	Hash    string

	// pods is what each load pod said last, by its index; nil when it has not said anything yet.
	pods []*reportv1alpha1.Progress
	// least is the position of the pod that is the least advanced.
	least int
}

// Positions are comparable: step k is waited for at 2k and runs at 2k+1.
const (
	nowhere = -1
	done    = math.MaxInt
)

func position(pod *reportv1alpha1.Progress) int {
	switch {
	case pod == nil:
		return nowhere
	case pod.State == reportv1alpha1.ProgressDone:
		return done
	case pod.State == reportv1alpha1.ProgressWaiting:
		return 2 * pod.Step
	default:
		return 2*pod.Step + 1
	}
}

// Read finds the plan of a run, and reads from the ConfigMaps that the run controls how far its load pods are. The plan
// is compiled unless the load pods were given one.
func Read(
	run *benchv1alpha1.BenchmarkRun, compile func() planv1alpha1.Plan, configMaps map[string]*corev1.ConfigMap,
) (*Load, error) {
	l := &Load{least: done}
	given, err := l.given(run, configMaps)
	if err == nil && !given {
		err = l.compiled(compile())
	}
	if err != nil {
		return nil, err
	}
	for i := range l.Plan.Pods {
		pod := l.read(configMaps[naming.PodConfigMap(run.Name, i)])
		l.pods = append(l.pods, pod)
		l.least = min(l.least, position(pod))
	}
	return l, nil
}

// ForeignError says that load pods were given a plan that this release of the operator cannot read.
type ForeignError struct{ Err error }

func (e ForeignError) Error() string {
	return fmt.Sprintf("another release of the operator began this run, by a plan that this one cannot read (%s): it is "+
		"left as it is until that release is back; delete it to end it", e.Err)
}

func (e ForeignError) Unwrap() error { return e.Err }

// given takes the plan that the load pods were given, if there is one: an operator of another version may compile
// another one, and what has begun goes on as it began.
func (l *Load) given(run *benchv1alpha1.BenchmarkRun, configMaps map[string]*corev1.ConfigMap) (bool, error) {
	hash := run.Status.PlanHash
	configMap := configMaps[naming.PlanConfigMap(run.Name, hash)]
	if configMap == nil {
		return false, nil
	}
	text := []byte(configMap.Data[naming.PlanKey])
	if planv1alpha1.Hash(text) != hash {
		return false, nil
	}
	given, err := planv1alpha1.DecodeFollowed(text)
	if err == nil && len(given.Steps) == 0 {
		err = errors.New("it has no steps")
	}
	if err != nil {
		return false, ForeignError{err}
	}
	l.Plan, l.Encoded, l.Hash = given, text, hash
	return true, nil
}

func (l *Load) compiled(plan planv1alpha1.Plan) error {
	l.Plan = plan
	encoded, err := planv1alpha1.Encode(l.Plan)
	if err != nil {
		return fmt.Errorf("encoding the plan: %w", err)
	}
	l.Encoded, l.Hash = encoded, planv1alpha1.Hash(encoded)
	return nil
}

// read is what a load pod said last. What cannot be read counts as nothing said: the deadlines take care of it.
func (l *Load) read(configMap *corev1.ConfigMap) *reportv1alpha1.Progress {
	if configMap == nil || configMap.Data[reportv1alpha1.ProgressKey] == "" {
		return nil
	}
	pod, err := reportv1alpha1.DecodeProgress([]byte(configMap.Data[reportv1alpha1.ProgressKey]))
	if err != nil || pod.Step < 0 || pod.Step >= len(l.Plan.Steps) {
		return nil
	}
	return &pod
}

// First is what load pod 0 said, which acts for all of them; nothing when it has not said anything yet.
func (l *Load) First() reportv1alpha1.Progress {
	if len(l.pods) == 0 || l.pods[0] == nil {
		return reportv1alpha1.Progress{}
	}
	return *l.pods[0]
}

// Begun says whether any load pod has said anything.
func (l *Load) Begun() bool {
	return slices.ContainsFunc(l.pods, func(pod *reportv1alpha1.Progress) bool { return pod != nil })
}

// Silent says whether a load pod has not said anything yet.
func (l *Load) Silent() bool { return l.least == nowhere }

// Done says whether every load pod is done.
func (l *Load) Done() bool { return l.least == done }

// Measured says whether any load pod is known to have begun to measure.
func (l *Load) Measured() bool {
	first := l.firstMeasured()
	return first >= 0 && slices.ContainsFunc(l.pods, func(pod *reportv1alpha1.Progress) bool {
		return position(pod) > 2*first
	})
}

// MayHaveMeasured says whether any load pod has come to where it measures, so that there is something to lose: what is
// known of it is from some time ago, and it may have begun since.
func (l *Load) MayHaveMeasured() bool {
	first := l.firstMeasured()
	return first >= 0 && l.Reached(first)
}

// firstMeasured is the index of the first step that measures; -1 when there is none.
func (l *Load) firstMeasured() int {
	return slices.IndexFunc(l.Plan.Steps, func(s planv1alpha1.Step) bool { return s.Kind == planv1alpha1.StepMeasure })
}

// Reached says whether any load pod has come to the step of this index.
func (l *Load) Reached(step int) bool {
	return slices.ContainsFunc(l.pods, func(pod *reportv1alpha1.Progress) bool { return position(pod) >= 2*step })
}

// Index of the step of the least advanced pod.
func (l *Load) Index() int { return l.least / 2 }

// Step of the least advanced pod; only while there is one.
func (l *Load) Step() planv1alpha1.Step { return l.Plan.Steps[l.least/2] }

// Waiting says whether the least advanced pod waits to begin its step.
func (l *Load) Waiting() bool { return !l.Silent() && !l.Done() && l.least%2 == 0 }

// Loading says whether the dataset is being written or counted.
func (l *Load) Loading() bool {
	return !l.Done() && l.Step().Loads()
}

// WarmingUp says whether a pod warms up in the step of the least advanced one, or is about to.
func (l *Load) WarmingUp() bool {
	if l.Done() || l.Step().WarmupSeconds == 0 {
		return false
	}
	return slices.ContainsFunc(l.pods, func(pod *reportv1alpha1.Progress) bool {
		return pod.Step == l.Index() && (pod.WarmingUp || pod.State == reportv1alpha1.ProgressWaiting)
	})
}

// PodDone says whether a pod has left its report.
func (l *Load) PodDone(pod *corev1.Pod) bool {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	return err == nil && index >= 0 && index < len(l.pods) && position(l.pods[index]) == done
}

// SaidBy says whether what is known of a pod's progress was said by this very pod, rather than by one that it replaces.
func (l *Load) SaidBy(pod *corev1.Pod) bool {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	return err == nil && index >= 0 && index < len(l.pods) && l.pods[index] != nil &&
		l.pods[index].Pod == string(pod.UID)
}

// Unfinished names the load pods that are not done, by their index: their objects may be gone.
func (l *Load) Unfinished() []string { return l.named(func(at int) bool { return at != done }) }

// Unheard names the load pods that have not said anything.
func (l *Load) Unheard() []string { return l.named(func(at int) bool { return at == nowhere }) }

// Last names the least advanced pods when there are others.
func (l *Load) Last() string {
	last := l.named(func(at int) bool { return at == l.least })
	if len(last) == len(l.pods) {
		return ""
	}
	return strings.Join(last, ", ")
}

func (l *Load) named(wanted func(position int) bool) []string {
	var names []string
	for i, pod := range l.pods {
		if wanted(position(pod)) {
			names = append(names, fmt.Sprintf("pod %d", i))
		}
	}
	return names
}

// OfStep is the progress of the step that the least advanced load pod is in, over all pods that take part in it.
func (l *Load) OfStep() *benchv1alpha1.Progress {
	index, pods := l.Index(), l.pods
	if l.Step().Kind.Alone() {
		pods = pods[:1]
	}
	var percent int
	var rate int64
	for _, pod := range pods {
		switch at := position(pod); {
		case at > 2*index+1:
			percent += 100
		case at == 2*index+1:
			percent += min(max(pod.Percent, 0), 100)
			rate += max(pod.OperationsPerSecond, 0)
		}
	}
	return &benchv1alpha1.Progress{
		Step:                l.Step().Name,
		Percent:             new(int32(percent / len(pods))),
		OperationsPerSecond: &rate,
		Comparison:          l.comparison(index),
	}
}

// maxLines is the most lines that a progress holds.
const maxLines = 8

// comparison is what is known of the step of a duet, of which there is one pod.
func (l *Load) comparison(index int) []benchv1alpha1.ComparisonLine {
	if l.Plan.Duet == nil || position(l.pods[0]) != 2*index+1 {
		return nil
	}
	lines := duet.Compared(l.Plan, l.Step().Name, l.pods[0].Lines, reportv1alpha1.SideBaseline)
	lines = lines[:min(len(lines), maxLines)]
	for i := range lines {
		switch lines[i].Verdict {
		case benchv1alpha1.VerdictNotDetected, benchv1alpha1.VerdictInconclusive:
			lines[i].Message = "" // It says what to do once the time is up, and it is not.
		default:
		}
	}
	return lines
}

// Position reads where a load pod is from its ConfigMap's data, without the figures that change all the time: two that
// are equal make no difference to a run but for its progress, which has a period of its own.
func Position(data map[string]string) reportv1alpha1.Progress {
	said, err := reportv1alpha1.DecodeProgress([]byte(data[reportv1alpha1.ProgressKey]))
	if err != nil {
		return reportv1alpha1.Progress{}
	}
	said.Percent, said.OperationsPerSecond, said.Lines = 0, 0, nil
	return said
}
