package operation

import (
	"iter"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Later is something in an operation that servers of MongoDB know only from a version on.
type Later struct {
	// Part is the index of the part that it is in, -1 for the operation itself.
	Part    int
	Setting Setting
	// Of is the kind whose setting it is, in words.
	Of string
	// Version is the first that knows it, as 8.0.
	Version string
}

// LaterIn are all that an operation asks for and that not every server knows which the load generator speaks to by
// MongoDB's driver.
func LaterIn(o *planv1.Operation) iter.Seq[Later] {
	return func(yield func(Later) bool) {
		if !laterIn(&o.Request, -1, yield) {
			return
		}
		for i := range o.Operations {
			if BeyondOne(o, i) && !yield(Later{i, Collection, "BulkWrite to several collections", "8.0"}) {
				return
			}
			if !laterIn(&o.Operations[i], i, yield) {
				return
			}
		}
	}
}

// BeyondOne says whether a part of a BulkWrite, by its index, goes to another collection than the whole: such a whole
// is one command for all of them.
func BeyondOne(o *planv1.Operation, part int) bool {
	collection := o.Operations[part].Collection
	return o.Kind == benchv1alpha1.OperationBulkWrite && collection != "" && collection != o.Collection
}

// ToSeveral says whether any part of a BulkWrite goes to another collection.
func ToSeveral(o *planv1.Operation) bool {
	for i := range o.Operations {
		if BeyondOne(o, i) {
			return true
		}
	}
	return false
}

func laterIn(r *planv1.Request, part int, yield func(Later) bool) bool {
	row := Of(r.Kind)
	for _, one := range []struct {
		setting Setting
		set     bool
	}{
		{Sort, len(r.Sort) > 0}, {Hint, r.Hint != ""}, {Let, r.Let != ""}, {Comment, r.Comment != ""},
	} {
		if version := row.Since(one.setting); one.set && version != "" &&
			!yield(Later{part, one.setting, string(r.Kind), version}) {
			return false
		}
	}
	return true
}

// Since is the first version of MongoDB whose servers know a setting of operations of the kind; empty where that is
// older than 4.2, the oldest that MongoDB's driver speaks to.
func (r *Row) Since(setting Setting) string {
	switch {
	case setting == Let:
		return "5.0"
	case setting == Sort && r.updates():
		return "8.0"
	case setting == Hint:
		return r.hints()
	case setting == Comment && (r.Effect.Writes() || r.Effect == ByParts || r.counts()):
		return "4.4"
	default:
		return ""
	}
}

// hints is the version that knows a hint of the kind.
func (r *Row) hints() string {
	switch {
	case r == Distinct.Row():
		return "7.1"
	case r.Effect == Deletes || r.Acknowledged:
		return "4.4"
	default:
		return ""
	}
}

// updates says whether the command of the kind is update, rather than one that answers with a document.
func (r *Row) updates() bool {
	return r.Effect == Updates && !r.Acknowledged
}

// counts says whether the answer is a number, or values, for whose commands a comment came later than for a find.
func (r *Row) counts() bool {
	return r.Name == benchv1alpha1.OperationEstimatedDocumentCount || r.Name == benchv1alpha1.OperationDistinct
}
