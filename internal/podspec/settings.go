package podspec

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// BuiltIn are the settings of every pod unless something else is said: a node that runs Linux, and no sidecar of a
// service mesh, which would be measured along with the server. Each mesh has its own word for that: Istio with sidecars
// and without (ambient), Kuma by a label and in older releases by an annotation, Linkerd and Consul by annotations.
func BuiltIn() benchv1alpha1.PodSettings {
	return benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{corev1.LabelOSStable: string(corev1.Linux)},
		Labels: map[string]string{
			"sidecar.istio.io/inject":   "false",
			"istio.io/dataplane-mode":   "none",
			"kuma.io/sidecar-injection": "disabled",
		},
		Annotations: map[string]string{
			"sidecar.istio.io/inject":             "false",
			"kuma.io/sidecar-injection":           "disabled",
			"linkerd.io/inject":                   "disabled",
			"consul.hashicorp.com/connect-inject": "false",
		},
	}
}

// Merge adds settings to those that they are an addition to. The rule is in the comment of PodSettings.
func Merge(below benchv1alpha1.PodSettings, own *benchv1alpha1.PodSettings) benchv1alpha1.PodSettings {
	merged := *below.DeepCopy()
	if own == nil {
		return merged
	}
	own = own.DeepCopy()
	merged.NodeSelector = byKey(merged.NodeSelector, own.NodeSelector)
	merged.Labels = byKey(merged.Labels, own.Labels)
	merged.Annotations = byKey(merged.Annotations, own.Annotations)
	for _, toleration := range own.Tolerations {
		if !slices.ContainsFunc(merged.Tolerations, func(has corev1.Toleration) bool { return same(has, toleration) }) {
			merged.Tolerations = append(merged.Tolerations, toleration)
		}
	}
	for _, secret := range own.ImagePullSecrets {
		if !slices.Contains(merged.ImagePullSecrets, secret) {
			merged.ImagePullSecrets = append(merged.ImagePullSecrets, secret)
		}
	}
	merged.TopologySpreadConstraints = spread(own.TopologySpreadConstraints, merged.TopologySpreadConstraints)
	replace(&merged.Affinity, own.Affinity)
	replace(&merged.PriorityClassName, own.PriorityClassName)
	replace(&merged.RuntimeClassName, own.RuntimeClassName)
	replace(&merged.ImagePullPolicy, own.ImagePullPolicy)
	merged.SecurityContext = identity(merged.SecurityContext, own.SecurityContext)
	return merged
}

func same(a, b corev1.Toleration) bool {
	return a.MatchToleration(&b) && ptr.Equal(a.TolerationSeconds, b.TolerationSeconds)
}

// replace puts a value in the place of another one if it is set.
func replace[T any](field **T, value *T) {
	if value != nil {
		*field = value
	}
}

// byKey are both maps in one, of which the second has the last word.
func byKey(below, own map[string]string) map[string]string {
	if below == nil {
		return own
	}
	maps.Copy(below, own)
	return below
}

// identity joins two, field by field.
func identity(below, own *benchv1alpha1.PodSecurityContext) *benchv1alpha1.PodSecurityContext {
	if below == nil || own == nil {
		return cmp.Or(own, below)
	}
	if ptr.Deref(own.IDs, "") == benchv1alpha1.PodIDsNamespace {
		return own // Numbers that are given for other pods would not leave it to the namespace.
	}
	replace(&below.IDs, own.IDs)
	replace(&below.RunAsUser, own.RunAsUser)
	replace(&below.RunAsGroup, own.RunAsGroup)
	replace(&below.FSGroup, own.FSGroup)
	return below
}

// spread adds constraints to those that have the last word: a pod can have one for a topology key and an effect.
func spread(first, more []corev1.TopologySpreadConstraint) []corev1.TopologySpreadConstraint {
	for _, constraint := range more {
		if !slices.ContainsFunc(first, func(has corev1.TopologySpreadConstraint) bool {
			return has.TopologyKey == constraint.TopologyKey && has.WhenUnsatisfiable == constraint.WhenUnsatisfiable
		}) {
			first = append(first, constraint)
		}
	}
	return first
}

// Apply gives a pod what the settings say. What the operator has written into it already stays: its labels and
// annotations, and its constraints. Constraints of the settings that select no pods are about those that have the
// labels alike.
func Apply(settings benchv1alpha1.PodSettings, pod *corev1.PodTemplateSpec, alike map[string]string) {
	settings = *settings.DeepCopy()
	pod.Labels = byKey(settings.Labels, pod.Labels)
	pod.Annotations = byKey(settings.Annotations, pod.Annotations)
	for i := range settings.TopologySpreadConstraints {
		if constraint := &settings.TopologySpreadConstraints[i]; constraint.LabelSelector == nil {
			constraint.LabelSelector = &metav1.LabelSelector{MatchLabels: alike}
		}
	}
	spec := &pod.Spec
	spec.TopologySpreadConstraints = spread(spec.TopologySpreadConstraints, settings.TopologySpreadConstraints)
	spec.NodeSelector, spec.Tolerations = settings.NodeSelector, settings.Tolerations
	if settings.Affinity != nil {
		if spec.Affinity == nil {
			spec.Affinity = &corev1.Affinity{}
		}
		spec.Affinity.NodeAffinity = settings.Affinity.NodeAffinity
	}
	spec.PriorityClassName = ptr.Deref(settings.PriorityClassName, "")
	spec.RuntimeClassName = settings.RuntimeClassName
	for _, secret := range settings.ImagePullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets, corev1.LocalObjectReference{Name: secret.Name})
	}
	applyPull(settings.ImagePullPolicy, spec)
	applyIDs(settings.SecurityContext, spec.SecurityContext)
}

// applyPull says of every container when its image is pulled.
func applyPull(policy *corev1.PullPolicy, spec *corev1.PodSpec) {
	if policy == nil {
		return
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].ImagePullPolicy = *policy
		}
	}
}

// applyIDs changes the numbers of user and groups.
func applyIDs(declared *benchv1alpha1.PodSecurityContext, context *corev1.PodSecurityContext) {
	if declared == nil || context == nil {
		return
	}
	if ptr.Deref(declared.IDs, "") == benchv1alpha1.PodIDsNamespace {
		context.RunAsUser, context.RunAsGroup, context.FSGroup = nil, nil, nil
	} else {
		// A group that is not named follows the user, and the volumes follow the group.
		replace(&context.RunAsGroup, declared.RunAsUser)
		replace(&context.FSGroup, cmp.Or(declared.RunAsGroup, declared.RunAsUser))
	}
	replace(&context.RunAsUser, declared.RunAsUser)
	replace(&context.RunAsGroup, declared.RunAsGroup)
	replace(&context.FSGroup, declared.FSGroup)
}

// NodeLabels are labels that a node must have for pods of these settings: those of the selector, and those for which
// the affinity requires one value. Of anything else that it requires nothing is said: nodes with these labels may be
// more than the pods take, and never fewer.
func NodeLabels(settings benchv1alpha1.PodSettings) map[string]string {
	required := maps.Clone(settings.NodeSelector)
	if settings.Affinity == nil || settings.Affinity.NodeAffinity == nil {
		return required
	}
	selector := settings.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if selector == nil || len(selector.NodeSelectorTerms) != 1 { // A node has to satisfy one of several.
		return required
	}
	for _, wanted := range selector.NodeSelectorTerms[0].MatchExpressions {
		if wanted.Operator == corev1.NodeSelectorOpIn && len(wanted.Values) == 1 {
			required = byKey(map[string]string{wanted.Key: wanted.Values[0]}, required)
		}
	}
	return required
}

// reservedLabels and reservedAnnotations begin the keys by which objects are found and measurements are kept: nobody
// else may write them.
var (
	reservedLabels = []string{
		"mongobench.dev/", "app.kubernetes.io/", "batch.kubernetes.io/", "statefulset.kubernetes.io/",
		"apps.kubernetes.io/", "controller-uid", "controller-revision-hash", "job-name", "pod-template-hash",
	}
	reservedAnnotations = []string{"mongobench.dev/", "batch.kubernetes.io/"}
)

// ReservedLabel says whether a label of pods is the operator's, or that of Kubernetes' own controllers.
func ReservedLabel(key string) bool { return beginsLike(key, reservedLabels) }

// ReservedAnnotation says the same of an annotation.
func ReservedAnnotation(key string) bool {
	_, stays := StayAnnotations()[key]
	return stays || beginsLike(key, reservedAnnotations)
}

func beginsLike(key string, reserved []string) bool {
	return slices.ContainsFunc(reserved, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
