package run

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestTargetMatters(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.BenchmarkTarget)
		want   bool
	}{
		"a dataset was noted": {
			change: func(target *benchv1alpha1.BenchmarkTarget) {
				target.Status.Datasets = []benchv1alpha1.DatasetStatus{{Database: "mongobench"}}
			},
		},
		"another run uses it": {
			change: func(target *benchv1alpha1.BenchmarkTarget) { target.Status.InUseBy = []string{"other"} },
		},
		"it became ready": {
			change: func(target *benchv1alpha1.BenchmarkTarget) {
				target.Status.Conditions = []metav1.Condition{{Type: benchv1alpha1.TargetReady, Status: metav1.ConditionTrue}}
			},
			want: true,
		},
		"it is being deleted": {
			change: func(target *benchv1alpha1.BenchmarkTarget) { target.DeletionTimestamp = new(metav1.Now()) },
			want:   true,
		},
		"its specification changed": {
			change: func(target *benchv1alpha1.BenchmarkTarget) { target.Generation++ },
			want:   true,
		},
		"nothing changed, the cache says it again": {
			change: func(target *benchv1alpha1.BenchmarkTarget) { target.ResourceVersion = "1" },
			want:   true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := &benchv1alpha1.BenchmarkTarget{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
			after := before.DeepCopy()
			after.ResourceVersion = "2"
			tc.change(after)
			if got := targetMatters(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.want {
				t.Errorf("it wakes its runs: %t, want %t", got, tc.want)
			}
		})
	}
}
