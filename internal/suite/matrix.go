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
<<<<<<< HEAD
=======

// applyPatch applies the patch of a choice, whose path is given, to an encoded specification.
func applyPatch(
	document []byte, choice benchv1alpha1.Choice, path *field.Path,
) (benchv1alpha1.BenchmarkRunSpec, *field.Error) {
	var refused *field.Error
	if choice.Patch != nil {
		document, refused = merged(document, choice.Patch.Raw, path)
	} else {
		document, refused = operated(document, choice.JSONPatch, path)
	}
	var spec benchv1alpha1.BenchmarkRunSpec
	if refused != nil {
		return spec, refused
	}
	return spec, decoded(document, &spec, path)
}

// decoded reads JSON into a specification. A field that does not exist is an error: it would be a typing error that
// makes two variants the same.
func decoded(document []byte, into *benchv1alpha1.BenchmarkRunSpec, path *field.Path) *field.Error {
	strict, err := kjson.UnmarshalStrict(document, into)
	if err != nil {
		return mistyped(document, path, err)
	}
	if len(strict) == 0 {
		return nil
	}
	if fieldError, ok := errors.AsType[kjson.FieldError](strict[0]); ok {
		path = path.Child(fieldError.FieldPath())
	}
	return field.Invalid(path, field.OmitValueType{}, strict[0].Error())
}

// merged applies a strategic merge patch.
func merged(document, patch []byte, path *field.Path) ([]byte, *field.Error) {
	var original, change map[string]any
	// Read in this way integers stay what they are; as floats the large ones would be others.
	err := kjson.UnmarshalCaseSensitivePreserveInts(document, &original)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(patch, &change)
	}
	if err == nil {
		if refused := typed(change, path); refused != nil {
			return nil, refused
		}
		boxed(original)
		boxed(change)
		original, err = strategicpatch.StrategicMergeMapPatch(original, change, benchv1alpha1.BenchmarkRunSpec{})
	}
	if err == nil {
		document, err = json.Marshal(unboxed(original))
	}
	if err != nil {
		return nil, field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return document, nil
}

// typed wants of a strategic merge patch what a specification may hold. That is checked before the patch is applied,
// because an error then has the path that its author wrote, and because a null for a field that does not exist would
// leave no trace afterwards.
func typed(change map[string]any, path *field.Path) *field.Error {
	document, err := json.Marshal(withoutDirectives(change))
	if err != nil {
		return field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return decoded(document, &benchv1alpha1.BenchmarkRunSpec{}, path)
}

// withoutDirectives leaves out the keys that speak to the merge, such as $patch.
func withoutDirectives(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(value))
		for key, item := range value {
			if !strings.HasPrefix(key, "$") {
				kept[key] = withoutDirectives(item)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(value))
		for _, item := range value {
			kept = append(kept, withoutDirectives(item))
		}
		return kept
	default:
		return value
	}
}

// operated applies a JSON patch, one operation after the other, so that an error has the path of its operation.
func operated(
	document []byte, operations []benchv1alpha1.JSONPatchOperation, path *field.Path,
) ([]byte, *field.Error) {
	for i, operation := range operations {
		at := path.Index(i)
		if err := complete(operation, at); err != nil {
			return nil, err
		}
		encoded, err := json.Marshal([]benchv1alpha1.JSONPatchOperation{operation})
		if err != nil {
			return nil, field.Invalid(at, field.OmitValueType{}, err.Error())
		}
		patch, err := jsonpatch.DecodePatch(encoded)
		if err == nil {
			document, err = patch.Apply(document)
		}
		if err != nil {
			return nil, field.Invalid(at, operation.Path, err.Error())
		}
		if len(document) > maxDocument {
			return nil, field.Invalid(at, operation.Path, fmt.Sprintf(
				"makes the specification larger than %d bytes", maxDocument))
		}
	}
	return document, nil
}

// complete wants of an operation what RFC 6902 wants. A path that does not begin with a slash, and a missing value,
// would be taken for something else.
func complete(operation benchv1alpha1.JSONPatchOperation, path *field.Path) *field.Error {
	if !strings.HasPrefix(operation.Path, "/") {
		return field.Invalid(path.Child("path"), operation.Path, "must begin with a slash")
	}
	switch operation.Op {
	case "add", "replace", "test":
		if operation.Value == nil {
			return field.Required(path.Child("value"), "what is absent is removed by an operation of its own")
		}
	case "move", "copy":
		if from := ptr.Deref(operation.From, ""); !strings.HasPrefix(from, "/") {
			return field.Invalid(path.Child("from"), from, "must begin with a slash")
		}
	default:
	}
	return nil
}

// untouched refuses a patch of what the suite itself decides about its runs.
func untouched(before, after *benchv1alpha1.BenchmarkRunSpec, path *field.Path) *field.Error {
	const why = "a patch cannot change it: whether runs wait or end is one decision for the whole suite"
	switch {
	case !ptr.Equal(before.Suspend, after.Suspend):
		return field.Forbidden(path.Child("suspend"), why)
	case !ptr.Equal(before.Cancel, after.Cancel):
		return field.Forbidden(path.Child("cancel"), why)
	case !ptr.Equal(before.TTLSecondsAfterFinished, after.TTLSecondsAfterFinished):
		return field.Forbidden(path.Child("ttlSecondsAfterFinished"), validation.NoTTL)
	default:
		return nil
	}
}
>>>>>>> h-f
