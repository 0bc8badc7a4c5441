package operation

import (
	"fmt"
	"iter"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Kind is a kind of operation, as a number: the index of its row.
type Kind uint8

// Kinds are all kinds.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for kind := range kinds {
			if !yield(kind) {
				return
			}
		}
	}
}

// Parse finds a kind by its name in the API.
func Parse(name string) (Kind, error) {
	kind := slices.IndexFunc(rows[:], func(row Row) bool { return string(row.Name) == name })
	if kind < 0 || name == "" {
		return 0, fmt.Errorf("kind %q is not known", name)
	}
	return Kind(kind), nil
}

// Of is the row of a kind by its name in the API. Of a kind that is not known it is one that may do anything.
func Of(name benchv1alpha1.OperationKind) *Row {
	kind, err := Parse(string(name))
	if err != nil {
		return &Row{Name: name}
	}
	return kind.Row()
}

// Row is what is known about the kind.
func (k Kind) Row() *Row {
	return &rows[k]
}

// String is the kind's name in the API.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return string(rows[k].Name)
}
