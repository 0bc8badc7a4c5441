package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestTheDatabasesThatARunKeepsOthersOutOf(t *testing.T) {
	shared := &benchv1alpha1.NameReference{Name: "new"}
	duet := func(otherwise string) *benchv1alpha1.Duet {
		made := &benchv1alpha1.Duet{}
		made.Baseline.TargetRef.Name = "old"
		if otherwise != "" {
			made.Baseline.Spec = &runtime.RawExtension{Raw: []byte(otherwise)}
		}
		return made
	}
	for name, tc := range map[string]struct {
		spec benchv1alpha1.BenchmarkRunSpec
		want []string
	}{
		"a target of its own": {benchv1alpha1.BenchmarkRunSpec{Target: &benchv1alpha1.BenchmarkTargetSpec{}}, nil},
		"one of others":       {benchv1alpha1.BenchmarkRunSpec{TargetRef: shared}, []string{"n/new/mongobench"}},
		"a duet": {
			benchv1alpha1.BenchmarkRunSpec{TargetRef: shared, Duet: duet("")},
			[]string{"n/new/mongobench", "n/old/mongobench"},
		},
		"a duet whose baseline has another dataset": {
			benchv1alpha1.BenchmarkRunSpec{TargetRef: shared, Duet: duet(`{"dataset": {"database": "shop"}}`)},
			[]string{"n/new/mongobench", "n/old/shop"},
		},
		"a duet of which the baseline alone is of others": {
			benchv1alpha1.BenchmarkRunSpec{Target: &benchv1alpha1.BenchmarkTargetSpec{}, Duet: duet("")},
			[]string{"n/old/mongobench"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := &benchv1alpha1.BenchmarkRun{Spec: tc.spec}
			run.Namespace = "n"
			if diff := cmp.Diff(tc.want, locks(run)); diff != "" {
				t.Errorf("the locks (-want +got):\n%s", diff)
			}
		})
	}
}
