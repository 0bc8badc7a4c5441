package settings_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

func selecting(labels map[string]string) *benchv1alpha1.PodSettings {
	return &benchv1alpha1.PodSettings{NodeSelector: labels}
}

// requiring is an affinity for the nodes of any of these terms, each of which wants one of some pools.
func requiring(terms ...[]string) *benchv1alpha1.PodSettings {
	selector := &corev1.NodeSelector{}
	for _, values := range terms {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: values},
			},
		})
	}
	return &benchv1alpha1.PodSettings{Affinity: &benchv1alpha1.NodeAffinity{
		NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector},
	}}
}

// TestPoolsAreThoseOfThePods: two are different only if no node can take the pods of both, as they are made.
func TestPoolsAreThoseOfThePods(t *testing.T) {
	bench, other := map[string]string{"pool": "bench"}, map[string]string{"pool": "other"}
	for name, tc := range map[string]struct {
		defaults, a, b *benchv1alpha1.PodSettings
		name           string
		shared         bool
	}{
		"nothing is said": {a: nil, b: selecting(bench), name: "the pool of all nodes", shared: true},
		"what is built in is not told": {
			a: selecting(map[string]string{"kubernetes.io/os": "linux"}), name: "the pool of all nodes", shared: true,
		},
		"two selectors": {a: selecting(bench), b: selecting(other), name: `node pool "pool=bench"`},
		"a default, and another": {
			defaults: selecting(bench), a: nil, b: selecting(other), name: `node pool "pool=bench"`,
		},
		"a default, and its own": {
			defaults: selecting(bench), a: nil, b: selecting(bench), name: `node pool "pool=bench"`, shared: true,
		},
		"two affinities for one": {
			a: requiring([]string{"bench"}), b: requiring([]string{"other"}), name: `node pool "pool=bench"`,
		},
		"an affinity and a selector": {
			a: requiring([]string{"bench"}), b: selecting(bench), name: `node pool "pool=bench"`, shared: true,
		},
		"an affinity for either": {
			a: requiring([]string{"bench", "other"}), b: selecting(other), name: "the pool of all nodes", shared: true,
		},
		"an affinity of two terms": {
			a: requiring([]string{"bench"}, []string{"other"}), b: selecting(other), name: "the pool of all nodes", shared: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var operator settings.Settings
			if tc.defaults != nil {
				operator.PodDefaults = *tc.defaults
			}
			a, said := operator.NodePool(tc.a)
			b, _ := operator.NodePool(tc.b)
			if said != tc.name || queue.Overlap(a, b) != tc.shared {
				t.Errorf("%s is %v, and shares nodes with %v: %t; want %s, %t", said, a, b, queue.Overlap(a, b), tc.name,
					tc.shared)
			}
		})
	}
}
