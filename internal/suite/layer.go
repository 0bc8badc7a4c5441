package suite

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// layer is the template's specification after some patches. Variants that begin with the same choices share the layers
// of these, so that a patch is applied once for all of them, and an error is blamed on the patch that brought it.
type layer struct {
	// parent is what the patch was applied to; nil of the template.
	parent *layer
	// path of the patch.
	path *field.Path
	spec benchv1alpha1.BenchmarkRunSpec
	// err says why the patch cannot be applied.
	err *field.Error

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
	run := &benchv1alpha1.BenchmarkRun{Spec: l.spec}
	l.errs = places(&l.spec)
	l.errs = append(l.errs, validation.ValidateRun(run)...)
	return l.errs
}

// places wants exactly one place where the run measures.
func places(spec *benchv1alpha1.BenchmarkRunSpec) field.ErrorList {
	if (spec.Target == nil) != (spec.TargetRef == nil) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "target"),
		"exactly one of target and targetRef must be set; a patch removes the other with null")}
}

// blamed is the patch, or the template, since which an error has been there.
func (l *layer) blamed(err *field.Error) *layer {
	culprit := l
	for culprit.parent != nil && culprit.parent.has(err) {
		culprit = culprit.parent
	}
	return culprit
}

func (l *layer) has(err *field.Error) bool {
	for _, other := range l.check() {
		if other.Error() == err.Error() {
			return true
		}
	}
	return false
}
