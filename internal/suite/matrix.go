package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// maxCombinations is how many combinations are looked at before any is excluded: a matrix that declares more could
// keep the operator busy for as long as it likes.
const maxCombinations = 10_000

// combination is one choice of every dimension, by their indexes.
type combination []int

// combinations are all that are not excluded, the last dimension the fastest. Without dimensions there are none.
func combinations(matrix benchv1alpha1.Matrix, path *field.Path) ([]combination, *field.Error) {
	if len(matrix.Dimensions) == 0 {
		return nil, nil
	}
	total := 1
	for _, dimension := range matrix.Dimensions {
		if total *= len(dimension.Choices); total > maxCombinations {
			return nil, field.Invalid(path.Child("dimensions"), len(matrix.Dimensions), fmt.Sprintf(
				"they have more than %d combinations, before any is excluded", maxCombinations))
		}
	}
	var kept []combination
	for number := range total {
		one := numbered(number, matrix.Dimensions)
		if !excluded(one, matrix) {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// numbered is the combination of a number in the order of all.
func numbered(number int, dimensions []benchv1alpha1.Dimension) combination {
	one := make(combination, len(dimensions))
	for i := len(dimensions) - 1; i >= 0; i-- {
		choices := len(dimensions[i].Choices)
		one[i], number = number%choices, number/choices
	}
	return one
}

func excluded(one combination, matrix benchv1alpha1.Matrix) bool {
	chosen := one.choices(matrix.Dimensions)
	return slices.ContainsFunc(matrix.Exclude, func(exclude benchv1alpha1.Combination) bool {
		for dimension, choice := range exclude.Choices {
			if chosen[dimension] != choice {
				return false
			}
		}
		return true
	})
}

// choices are the names of the combination's choices by those of the dimensions.
func (c combination) choices(dimensions []benchv1alpha1.Dimension) map[string]string {
	chosen := make(map[string]string, len(c))
	for i, choice := range c {
		chosen[dimensions[i].Name] = dimensions[i].Choices[choice].Name
	}
	return chosen
}

// name is that of the variant.
func (c combination) name(dimensions []benchv1alpha1.Dimension) string {
	names := make([]string, 0, len(c))
	for i, choice := range c {
		names = append(names, dimensions[i].Choices[choice].Name)
	}
	return strings.Join(names, "-")
}

// candidate is a variant that has not been checked yet.
type candidate struct {
	name    string
	choices map[string]string
	// path of what declares it.
	path *field.Path
	// layer is the template with all of its patches.
	layer *layer
}

// candidates are the variants in their order: the combinations, then what is included.
func candidates(suite *benchv1alpha1.BenchmarkSuite) ([]candidate, *field.Error) {
	template := &layer{spec: suite.Spec.Template.Spec}
	path := field.NewPath("spec", "matrix")
	matrix := ptr.Deref(suite.Spec.Matrix, benchv1alpha1.Matrix{})
	if len(matrix.Dimensions)+len(matrix.Include) == 0 {
		return []candidate{{name: DefaultVariant, path: path, layer: template}}, nil
	}
	combined, err := combinations(matrix, path)
	if err != nil {
		return nil, err
	}
	switch count := len(combined) + len(matrix.Include); {
	case count > MaxVariants:
		return nil, field.TooMany(path, count, MaxVariants)
	case count == 0:
		return nil, field.Invalid(path.Child("exclude"), len(matrix.Exclude), "leaves no variant; exclude fewer")
	}
	all, total := make([]candidate, 0, len(combined)+len(matrix.Include)), 0
	add := func(one candidate) bool {
		all = append(all, one)
		total += one.layer.bytes()
		return total <= maxVariantBytes
	}
	for _, one := range combined {
		if !add(candidate{
			name: one.name(matrix.Dimensions), choices: one.choices(matrix.Dimensions),
			path: path.Child("dimensions"), layer: template.combined(one, matrix.Dimensions, path.Child("dimensions")),
		}) {
			return nil, tooLarge(path, len(all), len(combined)+len(matrix.Include))
		}
	}
	for i := range matrix.Include {
		included := path.Child("include").Index(i)
		if !add(candidate{
			name: matrix.Include[i].Name, path: included.Child("name"), layer: template.patched(matrix.Include[i], included),
		}) {
			return nil, tooLarge(path, len(all), len(combined)+len(matrix.Include))
		}
	}
	return all, nil
}

// layer is the template's specification after some patches. Variants that begin with the same choices share the layers
// of these, so that a patch is applied once for all of them, and an error is reported at the patch that brought it.
type layer struct {
	// parent is what the patch was applied to; nil of the template.
	parent *layer
	// path of the patch.
	path *field.Path
	spec benchv1alpha1.BenchmarkRunSpec
	// err says why the patch cannot be applied.
	err *field.Error

	// size is what bytes found.
	size int
	// next are the layers upon this one, by dimension and choice.
	next map[[2]int]*layer
	// errs are what is wrong with the specification, once checked.
	errs    field.ErrorList
	checked bool
}

// combined is the layer with the patches of a combination's choices. One that cannot be applied ends the row.
func (l *layer) combined(one combination, dimensions []benchv1alpha1.Dimension, path *field.Path) *layer {
	current := l
	for i, choice := range one {
		at := [2]int{i, choice}
		if current.next[at] == nil {
			if current.next == nil {
				current.next = map[[2]int]*layer{}
			}
			choicePath := path.Index(i).Child("choices").Index(choice)
			current.next[at] = current.patched(dimensions[i].Choices[choice], choicePath)
		}
		current = current.next[at]
	}
	return current
}

// patched is the layer with a choice's patch; without a patch it is the layer itself.
func (l *layer) patched(choice benchv1alpha1.Choice, path *field.Path) *layer {
	if l.err != nil || (choice.Patch == nil && len(choice.JSONPatch) == 0) {
		return l
	}
	made := &layer{parent: l, path: path.Child("patch")}
	if choice.Patch == nil {
		made.path = path.Child("jsonPatch")
	}
	document, err := json.Marshal(l.spec)
	if err != nil {
		made.err = field.InternalError(made.path, err)
		return made
	}
	made.spec, made.err = applyPatch(document, choice, made.path)
	if made.err == nil {
		made.err = untouched(&l.spec, &made.spec, made.path)
	}
	return made
}

// check finds what is wrong with the specification as a run's. What the schema forbids, the API server refuses when the
// run is made.
func (l *layer) check() field.ErrorList {
	if l.checked {
		return l.errs
	}
	l.checked = true
	if (l.spec.Target == nil) == (l.spec.TargetRef == nil) {
		l.errs = field.ErrorList{field.Forbidden(field.NewPath("spec", "target"),
			"exactly one of target and targetRef must be set; a patch removes the other with null")}
	}
	l.errs = append(l.errs, validation.ValidateRun(&benchv1alpha1.BenchmarkRun{Spec: l.spec})...)
	return l.errs
}

// origin is the patch, or the template, since which an error has been there.
func (l *layer) origin(err *field.Error) *layer {
	culprit := l
	same := func(other *field.Error) bool { return other.Error() == err.Error() }
	for culprit.parent != nil && slices.ContainsFunc(culprit.parent.check(), same) {
		culprit = culprit.parent
	}
	return culprit
}

// maxDocument is how many bytes a specification may have after each operation of a JSON patch. An object of the API
// server has no more; without a limit, copies of copies would fill the memory.
const maxDocument = 1 << 20
