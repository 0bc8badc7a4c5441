package decide

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// apartness is an affinity in short: how many terms must hold, and how strongly others are wished.
type apartness struct {
	required int
	wished   []int32
}

func apartnessOf(affinity *corev1.Affinity) apartness {
	var found apartness
	if affinity == nil {
		return found
	}
	anti := ptr.Deref(affinity.PodAntiAffinity, corev1.PodAntiAffinity{})
	found.required = len(anti.RequiredDuringSchedulingIgnoredDuringExecution)
	for _, term := range anti.PreferredDuringSchedulingIgnoredDuringExecution {
		found.wished = append(found.wished, term.Weight)
	}
	return found
}

func placed(spread benchv1alpha1.Spread, limit int32) benchv1alpha1.PlacementSpec {
	placement := benchv1alpha1.PlacementSpec{Spread: &spread}
	if limit > 0 {
		placement.MembersPerNode = &limit
	}
	return placement
}

func TestMembersArePlacedAsTheSpreadSays(t *testing.T) {
	const preferred, required, none = benchv1alpha1.SpreadPreferred, benchv1alpha1.SpreadRequired, benchv1alpha1.SpreadNone
	set := targettest.ReplicaSet("bench", "set", 3)
	apart := set.DeepCopy()
	apart.Spec.MongoDB.Placement = new(placed(required, 0))
	for name, tc := range map[string]struct {
		target  *benchv1alpha1.BenchmarkTarget
		apart   apartness
		dealing dealing
	}{
		"a standalone":            {target: targettest.Standalone("bench", "alone", "6.0.5")},
		"a replica set":           {target: set, apart: apartness{wished: []int32{100}}},
		"a replica set that must": {target: apart, apart: apartness{required: 1}},
		"shards of one member": {
			target: shardsOf(4, 1, placed(preferred, 0)), apart: apartness{wished: []int32{50}},
		},
		"shards of several": {
			target: shardsOf(4, 3, placed(preferred, 0)), apart: apartness{wished: []int32{100, 50}},
		},
		"nothing is asked for": {target: shardsOf(4, 3, placed(none, 0))},
		"no more than two on one node": {
			shardsOf(4, 3, placed(none, 2)), apartness{}, dealing{2, moreNodesThanAny},
		},
		"evenly": {
			shardsOf(4, 1, placed(required, 0)), apartness{wished: []int32{50}}, dealing{1, 1},
		},
		"evenly, with members that are kept apart": {
			shardsOf(4, 3, placed(required, 0)), apartness{1, []int32{50}}, dealing{3, 1},
		},
		"evenly, and no more than three on one node": {
			shardsOf(7, 1, placed(required, 3)), apartness{wished: []int32{50}}, dealing{1, 3},
		},
		"kept apart, and no more than three on one node": {
			shardsOf(7, 2, placed(required, 3)), apartness{1, []int32{50}}, dealing{3, moreNodesThanAny},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := normalised(tc.target)
			s := sets(target.Spec)[0]
			if diff := cmp.Diff(tc.apart, apartnessOf(affinity(target, s)), cmp.AllowUnexported(apartness{})); diff != "" {
				t.Errorf("affinity (-want +got):\n%s", diff)
			}
			if got := dealt(target.Spec, s); got != tc.dealing {
				t.Errorf("dealt %+v, want %+v", got, tc.dealing)
			}
		})
	}
}

// TestMembersOfADuetWantTheSameNodes, and go on to avoid those of their own set.
func TestMembersOfADuetWantTheSameNodes(t *testing.T) {
	for name, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"alone": targettest.Standalone("bench", "alone", "6.0.5"), "set": targettest.ReplicaSet("bench", "set", 3),
	} {
		target = normalised(target)
		s := sets(target.Spec)[0]
		if pod := statefulSet(target, s, settings.Settings{}).Spec.Template; pod.Labels[naming.DuetLabel] != "" ||
			pod.Spec.Affinity != nil && pod.Spec.Affinity.PodAffinity != nil {
			t.Errorf("%s: without a duet a member wants the nodes of others", name)
		}
		without := apartnessOf(affinity(target, s))
		target.Labels = map[string]string{naming.DuetLabel: "versions"}
		pod := statefulSet(target, s, settings.Settings{}).Spec.Template
		if pod.Labels[naming.DuetLabel] != "versions" {
			t.Errorf("%s: a member has the labels %v", name, pod.Labels)
		}
		if diff := cmp.Diff(without, apartnessOf(pod.Spec.Affinity), cmp.AllowUnexported(apartness{})); diff != "" {
			t.Errorf("%s: affinity (-without +in a duet):\n%s", name, diff)
		}
		wished := pod.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		want := map[string]string{naming.DuetLabel: "versions"}
		if len(wished) != 1 || !maps.Equal(wished[0].PodAffinityTerm.LabelSelector.MatchLabels, want) {
			t.Errorf("%s: a member wants to be beside %+v", name, wished)
		}
	}
}

func TestRoutersAndConfigServersAreNotDealtLikeShards(t *testing.T) {
	target := targettest.Sharded("bench", "cluster")
	target.Spec.MongoDB.Placement = new(placed(benchv1alpha1.SpreadRequired, 1))
	target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{
		Mongos:        &benchv1alpha1.MongosSpec{Replicas: new(int32(2))},
		ConfigServers: &benchv1alpha1.ConfigServersSpec{Members: new(int32(3))},
	}
	target = normalised(target)
	for name, want := range map[string]apartness{
		"shard0": {wished: []int32{50}}, "config": {required: 1}, "mongos": {wished: []int32{100}},
	} {
		for _, s := range sets(target.Spec) {
			if s.Name != name {
				continue
			}
			if diff := cmp.Diff(want, apartnessOf(affinity(target, s)), cmp.AllowUnexported(apartness{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if isDealt := len(spreadConstraints(target, s)) > 0; isDealt != (name == "shard0") {
				t.Errorf("%s is dealt: %t", name, isDealt)
			}
		}
	}
}
