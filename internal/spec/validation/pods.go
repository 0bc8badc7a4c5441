package validation

import (
	"encoding/json"
	"maps"
	"slices"

	images "github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// maxPodSettingsBytes is how large the settings of pods may be as JSON: they are in every pod, and the operator holds
// them in memory for every run that waits.
const maxPodSettingsBytes = 16 << 10

// ValidatePodSettings finds what no pod can be given, or what is the operator's own. It says at once what the API
// server would say only when the pods are made.
func ValidatePodSettings(settings *benchv1alpha1.PodSettings, path *field.Path) field.ErrorList {
	if settings == nil {
		return nil
	}
	found := &product.Findings{}
	if document, err := json.Marshal(settings); err == nil && len(document) > maxPodSettingsBytes {
		found.Add(field.TooLong(path, "", maxPodSettingsBytes))
	}
	supported(found, ptr.Deref(settings.ImagePullPolicy, ""), path.Child("imagePullPolicy"),
		corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
	found.Add(metav1validation.ValidateLabels(settings.NodeSelector, path.Child("nodeSelector"))...)
	found.Add(metav1validation.ValidateLabels(settings.Labels, path.Child("labels"))...)
	found.Add(apivalidation.ValidateAnnotations(settings.Annotations, path.Child("annotations"))...)
	const reserved = "is the operator's own, or that of Kubernetes' controllers, and cannot be changed; leave it out"
	for _, key := range slices.Sorted(maps.Keys(settings.Labels)) {
		found.Forbid(podspec.ReservedLabel(key), path.Child("labels").Key(key), reserved)
	}
	for _, key := range slices.Sorted(maps.Keys(settings.Annotations)) {
		found.Forbid(podspec.ReservedAnnotation(key), path.Child("annotations").Key(key), reserved)
	}
	for i := range settings.Tolerations {
		validateToleration(found, &settings.Tolerations[i], path.Child("tolerations").Index(i))
	}
	for i := range settings.TopologySpreadConstraints {
		path := path.Child("topologySpreadConstraints").Index(i)
		validateConstraint(found, &settings.TopologySpreadConstraints[i], path)
	}
	if settings.Affinity != nil {
		validateAffinity(found, settings.Affinity.NodeAffinity, path.Child("affinity", "nodeAffinity"))
	}
	return found.ErrorList
}

// validateImage refuses a name that no node could fetch an image by, which Kubernetes says only of the pod.
func validateImage(found *product.Findings, image *string, path *field.Path) {
	if image == nil {
		return
	}
	if _, err := images.ParseNormalizedNamed(*image); err != nil {
		found.Refuse(true, path, *image, "is no name of an image, such as registry.example.com/team/mongo:6.0.5: %v", err)
	}
}

// supported refuses a word that is none of those that are known; empty is the default.
func supported[T ~string](found *product.Findings, word T, path *field.Path, known ...T) {
	if word != "" {
		product.WantKnown(found, &word, path, known...)
	}
}

func validateToleration(found *product.Findings, toleration *corev1.Toleration, path *field.Path) {
	supported(found, toleration.Operator, path.Child("operator"), corev1.TolerationOpExists, corev1.TolerationOpEqual)
	supported(found, toleration.Effect, path.Child("effect"),
		corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)
	exists := toleration.Operator == corev1.TolerationOpExists
	equal := toleration.Operator == corev1.TolerationOpEqual || toleration.Operator == ""
	found.Refuse(toleration.Key == "" && equal, path.Child("operator"), toleration.Operator,
		"must be Exists where there is no key")
	found.Refuse(exists && toleration.Value != "", path.Child("value"), toleration.Value,
		"must be left out with operator Exists")
	found.Refuse(toleration.TolerationSeconds != nil && toleration.Effect != corev1.TaintEffectNoExecute,
		path.Child("effect"), toleration.Effect, "must be NoExecute with tolerationSeconds")
}

func validateConstraint(found *product.Findings, constraint *corev1.TopologySpreadConstraint, path *field.Path) {
	found.Refuse(constraint.MaxSkew < 1, path.Child("maxSkew"), constraint.MaxSkew, "must be 1 or more")
	if constraint.TopologyKey == "" {
		found.Add(field.Required(path.Child("topologyKey"), "for example "+corev1.LabelTopologyZone))
	}
	if constraint.WhenUnsatisfiable == "" {
		found.Add(field.Required(path.Child("whenUnsatisfiable"), "DoNotSchedule or ScheduleAnyway"))
	}
	supported(found, constraint.WhenUnsatisfiable, path.Child("whenUnsatisfiable"),
		corev1.DoNotSchedule, corev1.ScheduleAnyway)
	if least := constraint.MinDomains; least != nil {
		found.Refuse(*least < 1, path.Child("minDomains"), *least, "must be 1 or more")
		found.Refuse(constraint.WhenUnsatisfiable != corev1.DoNotSchedule, path.Child("minDomains"), *least,
			"must be left out unless whenUnsatisfiable is DoNotSchedule")
	}
	if constraint.LabelSelector != nil {
		found.Add(metav1validation.ValidateLabelSelector(constraint.LabelSelector,
			metav1validation.LabelSelectorValidationOptions{}, path.Child("labelSelector"))...)
	}
}

func validateAffinity(found *product.Findings, affinity *corev1.NodeAffinity, path *field.Path) {
	if affinity == nil {
		found.Add(field.Required(path, "says which nodes; leave affinity out if any will do"))
		return
	}
	if required := affinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		path := path.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		if len(required.NodeSelectorTerms) == 0 {
			found.Add(field.Required(path, "must have a term"))
		}
		for i := range required.NodeSelectorTerms {
			validateTerm(found, &required.NodeSelectorTerms[i], path.Index(i))
		}
	}
	for i := range affinity.PreferredDuringSchedulingIgnoredDuringExecution {
		term := &affinity.PreferredDuringSchedulingIgnoredDuringExecution[i]
		path := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		found.Refuse(term.Weight < 1 || term.Weight > 100, path.Child("weight"), term.Weight, "must be 1 to 100")
		validateTerm(found, &term.Preference, path.Child("preference"))
	}
}

func validateTerm(found *product.Findings, term *corev1.NodeSelectorTerm, path *field.Path) {
	for i := range term.MatchExpressions {
		path := path.Child("matchExpressions").Index(i)
		found.Add(metav1validation.ValidateLabelName(term.MatchExpressions[i].Key, path.Child("key"))...)
		validateRequirement(found, &term.MatchExpressions[i], path)
	}
	for i := range term.MatchFields {
		validateRequirement(found, &term.MatchFields[i], path.Child("matchFields").Index(i))
	}
}

// validateRequirement wants as many values as the operator compares with.
func validateRequirement(found *product.Findings, wanted *corev1.NodeSelectorRequirement, path *field.Path) {
	values, count := path.Child("values"), len(wanted.Values)
	switch wanted.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		found.Refuse(count == 0, values, count, "must have a value with operator %s", wanted.Operator)
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		found.Refuse(count > 0, values, count, "must be left out with operator %s", wanted.Operator)
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		found.Refuse(count != 1, values, count, "must be one number with operator %s", wanted.Operator)
	default:
		found.Add(field.NotSupported(path.Child("operator"), wanted.Operator, []corev1.NodeSelectorOperator{
			corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists,
			corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt,
		}))
	}
}
