package decide

import (
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// stepProgress is the progress of the step that the least advanced load pod is in, over all pods that take part in it;
// nil when no step runs.
func (v *view) stepProgress() *benchv1alpha1.Progress {
	if !v.stepRuns() {
		return nil
	}
	index, pods := v.least/2, v.progress
	if v.step().Kind.Alone() {
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
		Step:                v.step().Name,
		Percent:             new(int32(percent / len(pods))),
		OperationsPerSecond: &rate,
	}
}

// waitingAt is the step that every load pod has reached and at least one waits to begin.
func (v *view) waitingAt() (int, bool) {
	if v.least == nowhere || v.least == done || v.least%2 != 0 {
		return 0, false
	}
	return v.least / 2, true
}

// ProgressOf reads where a load pod is from its ConfigMap's data, without the figures that change all the time: two
// that are equal make no difference to a run but for its progress, which has a period of its own.
func ProgressOf(data map[string]string) reportv1alpha1.Progress {
	progress, err := reportv1alpha1.DecodeProgress([]byte(data[reportv1alpha1.ProgressKey]))
	if err != nil {
		return reportv1alpha1.Progress{}
	}
	progress.Percent, progress.OperationsPerSecond = 0, 0
	return progress
}
