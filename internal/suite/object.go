package suite

import (
	"maps"
	"strconv"
	"strings"

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

const (
	// maxName is how long the name of a run or target may be, so that those of its pods fit into 63 characters.
	maxName = 52
	// maxLabel is how long the value of a label may be.
	maxLabel = 63
	// repetitionDigits is how many there are of the largest repetition, 100.
	repetitionDigits = 3
	// cutDigits is how much of the hash of a text stands for what was cut off it.
	cutDigits = 6
	// maxPrefix is what a name has for the suite and the variant, the dash between them included. It is the same for all
	// repetitions, so that their names begin alike.
	maxPrefix = maxName - len("-") - repetitionDigits - len("-") - hashDigits
)

// runName is <suite>-<variant>-<repetition>-<hash>. It is unique in the suite as long as the prefixes are: repetition
// and hash have no dashes.
func runName(suite, variant string, repetition int, hash string) string {
	return prefix(suite, variant) + "-" + strconv.Itoa(repetition) + "-" + hash
}

// TargetName is the name of the target that the runs of a variant share: <suite>-<variant>-<hash>. A target cannot be
// changed, so that another specification is another target.
func TargetName(suite *benchv1alpha1.BenchmarkSuite, variant Variant) string {
	return prefix(suite.Name, variant.Name) + "-" + variant.Hash
}

// prefix is what the names of a variant's runs begin with. Where both names do not fit, the longer one is cut, or both
// to a half.
func prefix(suite, variant string) string {
	const room = maxPrefix - len("-")
	suite, variant = strings.ReplaceAll(suite, ".", "-"), strings.ReplaceAll(variant, ".", "-")
	half := room / 2
	forSuite := max(half, room-len(variant))
	forVariant := room - min(forSuite, len(suite))
	return cut(suite, forSuite) + "-" + cut(variant, forVariant)
}

// cut makes a text fit: what is left of it ends with some of the hash of the whole, so that texts that begin alike stay
// apart.
func cut(text string, length int) string {
	if len(text) <= length {
		return text
	}
	kept := strings.TrimRight(text[:length-len("-")-cutDigits], "-.")
	return kept + "-" + digest([]byte(text))[:cutDigits]
}
