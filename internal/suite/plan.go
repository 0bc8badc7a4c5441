package suite

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Labels of the runs and targets of a suite.
const (
	// Label has the name of the suite.
	Label = naming.SuiteLabel
	// VariantLabel has the name of the variant, cut to the 63 characters of a label.
	VariantLabel = "mongobench.dev/variant"
	// RepetitionLabel has the number of the repetition, from 1 on.
	RepetitionLabel = "mongobench.dev/repetition"
	// RevisionLabel has the revision for which a run was made. Later revisions with the same variant use it too.
	RevisionLabel = "mongobench.dev/revision"
	// SpecHashLabel has the hash of the variant.
	SpecHashLabel = "mongobench.dev/spec-hash"
	// VariantAnnotation has the whole name of the variant.
	VariantAnnotation = "mongobench.dev/variant"
)

const (
	// MaxVariants is the most variants that a suite may have.
	MaxVariants = 200
	// MaxRuns is the most runs that a revision may have.
	MaxRuns = 1000
	// DefaultVariant is the name of the only variant of a suite without a matrix.
	DefaultVariant = "default"
)

// Variant is one combination of a suite's matrix.
type Variant struct {
	// Name is the names of the choices, joined by dashes; DefaultVariant without a matrix.
	Name string
	// Choices by the names of their dimensions; nil of an included variant.
	Choices map[string]string
	// Spec is the template with the choices' patches.
	Spec benchv1alpha1.BenchmarkRunSpec
	// Hash is that of all that may change results: the Spec without what only says when a run is made and what becomes of
	// it, and whether the target is shared.
	Hash string
	// Steps are those that its runs measure, in their order.
	Steps []Step
}

// Step is a measured step as results name it.
type Step struct {
	// Name in the result.
	Name string
	// Declared is its name in the workload: another one only for the steps of a threadSweep or growth.
	Declared string
	// Operations are the names of its operations.
	Operations []string
	// OperationCount ends it, over all operations; 0 of a step that time ends.
	OperationCount int64
}

// Is says whether a threshold or figure for a step of this name is one for the step: by its name in the result or, for
// all steps of a threadSweep or growth, by the declared one.
func (s Step) Is(name string) bool {
	return s.Name == name || s.Declared == name
}

// Slot is one run that there is to be.
type Slot struct {
	// Variant is its index among the variants.
	Variant int
	// Repetition counts from 1.
	Repetition int
	// Name of the BenchmarkRun.
	Name string
}

// Plan is everything that a suite's specification asks for.
type Plan struct {
	// Revision is the hash of the variants' names and hashes.
	Revision string
	// Kept says that revision and hashes are those of another release of the operator, which works them out otherwise.
	Kept     bool
	Variants []Variant
	// Occasion is why the content is measured again, and Content the plan that measures it for the first time; nil when
	// this is it.
	Occasion *benchv1alpha1.SuiteOccasion
	Content  *Plan
	// Slots in the order in which the runs are to be made.
	Slots []Slot
}

// shuffleStream keeps the order of runs apart from other uses of the same seed.
const shuffleStream = 0x6f72646572 // "order"

// slots are the runs of a suite in their order.
func slots(suite *benchv1alpha1.BenchmarkSuite, variants []Variant) []Slot {
	normal := spec.NormaliseSuite(suite.Spec)
	rounds, order := int(*normal.Repetitions), *normal.Order
	all := make([]Slot, 0, rounds*len(variants))
	baseline := BaselineOf(suite, variants) // It is measured in the runs of the others.
	add := func(variant, repetition int) {
		if variant == baseline {
			return
		}
		name := runName(suite.Name, variants[variant].Name, repetition, variants[variant].Hash)
		all = append(all, Slot{Variant: variant, Repetition: repetition, Name: name})
	}
	if order == benchv1alpha1.SuiteSequential {
		for variant := range variants {
			for repetition := 1; repetition <= rounds; repetition++ {
				add(variant, repetition)
			}
		}
		return all
	}
	seed := *spec.Normalise(suite.Spec.Template.Spec).Seed
	source := rand.NewPCG(uint64(seed), shuffleStream)
	for repetition := 1; repetition <= rounds; repetition++ {
		for _, variant := range round(order, repetition, len(variants), source) {
			add(variant, repetition)
		}
	}
	return all
}

// round is the order of the variants in one repetition. A shuffled suite has every variant once in each round as well,
// so that what changes with time meets all of them equally, and the rounds stay when there are more repetitions.
func round(order benchv1alpha1.SuiteOrder, repetition, variants int, source rand.Source) []int {
	indexes := make([]int, variants)
	for i := range indexes {
		indexes[i] = i
	}
	switch {
	case order == benchv1alpha1.SuiteShuffled:
		shuffle(indexes, source)
	case repetition%2 == 0:
		slices.Reverse(indexes)
	}
	return indexes
}

// shuffle is the algorithm of Fisher and Yates. It is written out because the order of a suite must not change with a
// release of Go: the generator's numbers are fixed, those of rand.Shuffle are not promised to be.
func shuffle(indexes []int, source rand.Source) {
	for i := len(indexes) - 1; i > 0; i-- {
		high, _ := bits.Mul64(source.Uint64(), uint64(i+1))
		indexes[i], indexes[high] = indexes[high], indexes[i]
	}
}

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
	if run.Spec.OperationSeed == nil {
		// Repetitions of one seed would say nothing about other keys. Variants share it, so that they do the same.
		run.Spec.OperationSeed = new(*spec.Normalise(run.Spec).Seed + int64(slot.Repetition))
	}
	// The two never share a key: the validation keeps the suite's own for the suite.
	maps.Copy(run.Labels, suite.Spec.Template.Metadata.Labels)
	maps.Copy(run.Annotations, suite.Spec.Template.Metadata.Annotations)
	if shares(suite) {
		run.Spec.Target = nil
		run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: TargetName(suite, variant)}
	}
	return run
}

// Target is the object that the runs of a variant share.
func Target(suite *benchv1alpha1.BenchmarkSuite, plan Plan, variantIndex int) *benchv1alpha1.BenchmarkTarget {
	variant := plan.Variants[variantIndex]
	meta := metadata(suite, plan, variant, TargetName(suite, variant))
	meta.Labels = naming.Queued(meta.Labels, suite.Spec.Template.Metadata.Labels)
	if sideBySide(suite) {
		meta.Labels[naming.DuetLabel] = cut(suite.Name, maxLabel)
	}
	return &benchv1alpha1.BenchmarkTarget{
		TypeMeta: typeMeta("BenchmarkTarget"), ObjectMeta: meta, Spec: spec.InlineTarget(variant.Spec),
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
