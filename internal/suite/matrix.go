package suite

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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
	for _, exclude := range matrix.Exclude {
		if within(exclude.Choices, chosen) {
			return true
		}
	}
	return false
}

func within(some, all map[string]string) bool {
	for dimension, choice := range some {
		if all[dimension] != choice {
			return false
		}
	}
	return true
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
		return nil, field.Invalid(path.Child("exclude"), len(matrix.Exclude), "leaves no variant")
	}
	all := make([]candidate, 0, len(combined)+len(matrix.Include))
	for _, one := range combined {
		all = append(all, candidate{
			name: one.name(matrix.Dimensions), choices: one.choices(matrix.Dimensions),
			path: path.Child("dimensions"), layer: template.combined(one, matrix.Dimensions, path.Child("dimensions")),
		})
	}
	for i := range matrix.Include {
		included := path.Child("include").Index(i)
		all = append(all, candidate{
			name: matrix.Include[i].Name, path: included.Child("name"), layer: template.patched(matrix.Include[i], included),
		})
	}
	return all, nil
}
