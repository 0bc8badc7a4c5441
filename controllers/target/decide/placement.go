package decide

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	// apartFromAll and apartFromOwn are how strongly a member avoids the nodes of members alike, and of its own set.
	apartFromAll = 50
	apartFromOwn = 100
	// moreNodesThanAny is more than the nodes of any cluster.
	moreNodesThanAny = math.MaxInt32
)

// affinity asks for a node each, if there are enough: members that share a disk measure each other. Members of one
// replica set need it most; with spread Required they are given nothing else.
func affinity(t *benchv1alpha1.BenchmarkTarget, s product.Set) *corev1.Affinity {
	own := sameNode(naming.SelectSet(t.Name, s.Name, s.Component))
	var apart corev1.PodAntiAffinity
	switch alike := membersAlike(t.Spec, s); {
	case *t.Spec.Placement.Spread == benchv1alpha1.SpreadNone || alike == 1:
		return nil
	case s.KeptApart(t.Spec):
		apart.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{own}
	case s.Members > 1:
		apart.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.WeightedPodAffinityTerm{
			{Weight: apartFromOwn, PodAffinityTerm: own},
		}
	}
	if membersAlike(t.Spec, s) > s.Members {
		all := sameNode(naming.SelectComponent(t.Name, s.Component))
		apart.PreferredDuringSchedulingIgnoredDuringExecution = append(
			apart.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.WeightedPodAffinityTerm{Weight: apartFromAll, PodAffinityTerm: all})
	}
	return &corev1.Affinity{PodAntiAffinity: &apart}
}

func sameNode(labels map[string]string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
	}
}

// membersAlike is the number of members of the target that play the same part.
func membersAlike(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) int {
	alike := 0
	for _, other := range sets(spec) {
		if other.Component == s.Component {
			alike += other.Members
		}
	}
	return alike
}

// dealing is how the members that hold data are dealt to nodes, in the scheduler's terms: no node may hold more than
// maxSkew members above the node that holds the fewest, which counts as none while there are fewer nodes than
// minDomains. The zero value leaves it open.
type dealing struct {
	maxSkew    int
	minDomains int
}

// dealt translates shardsPerNode and spread Required. A pod may have one such rule for nodes, so the two become one.
//
// A limit is a skew against nothing: with more domains asked for than there can be nodes, the fewest is always taken
// for none. Evenness is a skew of 1. Both at once is a skew of 1, and as many domains as the limit makes necessary:
// with m members on n nodes, none then holds more than m/n, rounded up.
//
// Members of one set are kept apart besides, and the scheduler takes nothing back: the last member may find that the
// only node that evenness leaves holds a sibling. So shards of several members may differ by as many as a shard has,
// and where there is a limit as well it alone is a rule; the preferences of affinity make it even.
func dealt(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) dealing {
	all, limit := membersAlike(spec, s), product.ShardsPerNode(spec)
	evenly := *spec.Placement.Spread == benchv1alpha1.SpreadRequired && all > s.Members
	switch {
	case !s.Measured || all == 1:
		return dealing{}
	case evenly && limit > 0 && s.Members == 1:
		return dealing{maxSkew: 1, minDomains: (all + limit - 1) / limit}
	case limit > 0:
		return dealing{maxSkew: limit, minDomains: moreNodesThanAny}
	case evenly:
		return dealing{maxSkew: s.Members, minDomains: 1}
	}
	return dealing{}
}

func spreadConstraints(t *benchv1alpha1.BenchmarkTarget, s product.Set) []corev1.TopologySpreadConstraint {
	rule := dealt(t.Spec, s)
	if rule.maxSkew == 0 {
		return nil
	}
	// A node that the members do not tolerate stays empty, and must not hold the others down.
	honor := corev1.NodeInclusionPolicyHonor
	return []corev1.TopologySpreadConstraint{{
		TopologyKey:        corev1.LabelHostname,
		WhenUnsatisfiable:  corev1.DoNotSchedule,
		MaxSkew:            int32(rule.maxSkew),
		MinDomains:         new(int32(rule.minDomains)),
		NodeAffinityPolicy: &honor,
		NodeTaintsPolicy:   &honor,
		LabelSelector:      &metav1.LabelSelector{MatchLabels: naming.SelectComponent(t.Name, s.Component)},
	}}
}
