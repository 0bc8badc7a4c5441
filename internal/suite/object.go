package suite

import (
	"maps"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Run is the object of a slot. With a shared target the variant's own becomes a reference; its dataset is reused where
// it is still as it was loaded, unless spec.dataset.load.reuse of the template says otherwise.
func Run(suite *benchv1alpha1.BenchmarkSuite, plan Plan, slot Slot) *benchv1alpha1.BenchmarkRun {
	variant := plan.Variants[slot.Variant]
	run := &benchv1alpha1.BenchmarkRun{
		TypeMeta:   typeMeta("BenchmarkRun"),
		ObjectMeta: metadata(suite, plan, variant, slot.Name),
		Spec:       *variant.Spec.DeepCopy(),
	}
	run.Labels[RepetitionLabel] = strconv.Itoa(slot.Repetition)
	// The two never share a key: the validation keeps the suite's own for the suite.
	maps.Copy(run.Labels, suite.Spec.Template.Metadata.Labels)
	maps.Copy(run.Annotations, suite.Spec.Template.Metadata.Annotations)
	if shares(suite) {
		run.Spec.Target = nil
		run.Spec.TargetRef = &benchv1alpha1.TargetReference{Name: TargetName(suite, variant)}
	}
	return run
}

// Target is the object that the runs of a variant share.
func Target(suite *benchv1alpha1.BenchmarkSuite, plan Plan, variantIndex int) *benchv1alpha1.BenchmarkTarget {
	variant := plan.Variants[variantIndex]
	return &benchv1alpha1.BenchmarkTarget{
		TypeMeta:   typeMeta("BenchmarkTarget"),
		ObjectMeta: metadata(suite, plan, variant, TargetName(suite, variant)),
		Spec:       spec.InlineTarget(variant.Spec),
	}
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: benchv1alpha1.GroupVersion.String(), Kind: kind}
}

// metadata is that of an object of the suite for a variant.
func metadata(suite *benchv1alpha1.BenchmarkSuite, plan Plan, variant Variant, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: suite.Namespace,
		Labels: map[string]string{
			Label:         suite.Name,
			VariantLabel:  cut(variant.Name, maxLabel),
			RevisionLabel: plan.Revision,
			SpecHashLabel: variant.Hash,
		},
		Annotations: map[string]string{VariantAnnotation: variant.Name},
	}
}
