package load

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// affinity keeps load pods off the nodes of the members, so that the two do not fight for the CPU, as strictly as the
// run says; then off each other's. Where it is required, the members of other targets are kept off as well: a load pod
// beside them would be measured there.
func (p Pods) affinity() *corev1.Affinity {
	const fromMembers, fromEachOther = 100, 1
	var apart corev1.PodAntiAffinity
	generator := ptr.Deref(p.Run.Spec.LoadGenerator, benchv1alpha1.LoadGenerator{})
	switch ptr.Deref(generator.Separation, "") {
	case benchv1alpha1.SeparationNone:
		return nil
	case benchv1alpha1.SeparationRequired:
		apart.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: naming.MemberLabel, Operator: metav1.LabelSelectorOpExists},
			}},
			TopologyKey: corev1.LabelHostname,
		}}
	default:
		apart.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.WeightedPodAffinityTerm{
			away(fromMembers, naming.SelectMembers(p.Target.Name)),
		}
		if p.Baseline != nil {
			apart.PreferredDuringSchedulingIgnoredDuringExecution = append(
				apart.PreferredDuringSchedulingIgnoredDuringExecution,
				away(fromMembers, naming.SelectMembers(p.Baseline.Name)))
		}
	}
	// The scheduler counts the wish to be apart from each other once for the new pod and once for every one that is
	// there, and adds them up: half the weight for each would drive the second load pod to the members.
	apart.PreferredDuringSchedulingIgnoredDuringExecution = append(apart.PreferredDuringSchedulingIgnoredDuringExecution,
		away(fromEachOther, naming.SelectRun(p.Run.Name)))
	return &corev1.Affinity{PodAntiAffinity: &apart}
}

// awayFromMembers is the wish of a pod that measures nothing for a node where nothing is measured.
func awayFromMembers() *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
				LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: naming.MemberLabel, Operator: metav1.LabelSelectorOpExists},
				}},
				TopologyKey: corev1.LabelHostname,
			},
		}},
	}}
}

// away is the wish for a node without pods of these labels.
func away(weight int32, labels map[string]string) corev1.WeightedPodAffinityTerm {
	return corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: corev1.PodAffinityTerm{
		LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
		TopologyKey:   corev1.LabelHostname,
	}}
}
