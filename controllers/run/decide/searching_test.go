package decide

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Load pods may watch each other's ConfigMaps, which go by name, only where they search together.
func TestPodsThatSearchTogetherWatchEachOther(t *testing.T) {
	for name, tc := range map[string]struct {
		pods   int32
		search bool
		want   []int
	}{
		"two that search":        {pods: 2, search: true, want: []int{0, 1}},
		"one that searches":      {pods: 1, search: true},
		"two that do not search": {pods: 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Pods: new(tc.pods)}
			step := &w.Run.Spec.Workload.Steps[0]
			step.Threads, step.OperationCount, step.DurationSeconds = new(int32(2)), nil, new(int32(5))
			if tc.search {
				step.Search = &benchv1alpha1.Search{LimitMicros: 1000, MaxOperationsPerSecond: 100}
			}
			w.settle()
			w.targetReady()
			want := []string{naming.GateConfigMap(w.Run.Name)}
			for _, pod := range tc.want {
				want = append(want, naming.PodConfigMap(w.Run.Name, pod))
			}
			if got := watched(Decide(w.Observation).Desired); !slices.Equal(got, want) {
				t.Errorf("they may watch %q, want %q", got, want)
			}
		})
	}
}

// watched are the ConfigMaps that the load pods may watch.
func watched(objects []desired.Object) []string {
	var names []string
	for _, object := range objects {
		role, is := object.(*rbacv1.Role)
		if !is {
			continue
		}
		for _, rule := range role.Rules {
			if slices.Contains(rule.Verbs, "watch") {
				names = append(names, rule.ResourceNames...)
			}
		}
	}
	return names
}
