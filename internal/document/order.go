package document

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Unordered is an object whose order of keys decides, and which is no string.
type Unordered struct {
	Path  *field.Path
	Value Value
}

// Advice says how to write the object so that its order is kept.
func (u Unordered) Advice() string {
	return "the order of its keys decides, and the API server sorts keys: write it as {$json: '" +
		strings.ReplaceAll(u.Value.JSON(), "'", "''") + "'}, with the keys in the order that is meant"
}

// UnorderedFilter are the places of a filter where the order of keys decides: sort orders, and whole subdocuments that
// are compared, which equal another only with the same order.
func UnorderedFilter(filter Value, path *field.Path) []Unordered {
	places := places{}
	places.query(filter, path)
	return places
}

// UnorderedPipeline are those of a pipeline, update or projection: of its sort orders, and of the filters in it.
func UnorderedPipeline(pipeline Value, path *field.Path) []Unordered {
	places := places{}
	places.expression(pipeline, path)
	return places
}

// UnorderedCommand is a command with more keys than its name.
func UnorderedCommand(command Value, path *field.Path) []Unordered {
	if command.verbatim || len(command.members) < 2 {
		return nil
	}
	return []Unordered{{path, command}}
}

// UnorderedConstant are the subdocuments of a constant that others are compared with.
func UnorderedConstant(constant Value, path *field.Path) []Unordered {
	places := places{}
	places.compared(constant, path)
	return places
}

// places are what a walk has found.
type places []Unordered

// query walks through conditions on documents.
//
//	{$or: [{a: 1}, {b: {$gt: 2}}], c: {d: 3}, $expr: {...}}
//	  └ queries     └ condition   └ compared  └ expression
func (p *places) query(v Value, path *field.Path) {
	if v.verbatim {
		return
	}
	for _, member := range v.members {
		at := path.Child(member.Key)
		switch {
		case member.Key == "$and" || member.Key == "$or" || member.Key == "$nor":
			for i, item := range member.Value.items {
				p.query(item, at.Index(i))
			}
		case isOperator(member.Key):
			p.expression(member.Value, at)
		default:
			p.condition(member.Value, at)
		}
	}
}

// condition walks through what is asked of one field: operators, or a value to be equal to.
func (p *places) condition(v Value, path *field.Path) {
	if v.verbatim {
		return
	}
	if !hasOperators(v) {
		p.compared(v, path)
		return
	}
	for _, member := range v.members {
		at := path.Child(member.Key)
		switch member.Key {
		case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte":
			p.compared(member.Value, at)
		case "$in", "$nin", "$all":
			for i, item := range member.Value.items {
				p.condition(item, at.Index(i))
			}
		case "$not":
			p.condition(member.Value, at)
		case "$elemMatch":
			p.element(member.Value, at)
		default:
			p.expression(member.Value, at)
		}
	}
}

// element walks through what is asked of the elements of an array: conditions on a value, or on a document.
func (p *places) element(v Value, path *field.Path) {
	logical := slices.ContainsFunc(v.members, func(m Member) bool {
		return m.Key == "$and" || m.Key == "$or" || m.Key == "$nor"
	})
	if hasOperators(v) && !logical {
		p.condition(v, path)
		return
	}
	p.query(v, path)
}

// compared walks through a value that others are compared with as a whole.
func (p *places) compared(v Value, path *field.Path) {
	if v.verbatim || hasOperators(v) {
		return // A type of Extended JSON, or what stands for another value.
	}
	if len(v.members) > 1 {
		*p = append(*p, Unordered{path, v})
		return
	}
	for _, member := range v.members {
		p.compared(member.Value, path.Child(member.Key))
	}
	for i, item := range v.items {
		p.compared(item, path.Index(i))
	}
}

// expression walks through what is neither: stages, update operators and expressions may have sort orders and queries
// in them.
func (p *places) expression(v Value, path *field.Path) {
	if v.verbatim {
		return
	}
	for _, member := range v.members {
		at := path.Child(member.Key)
		switch member.Key {
		case "$sort", "sortBy":
			p.sortOrder(member.Value, at)
		case "$match", "restrictSearchWithMatch":
			p.query(member.Value, at)
		case "$elemMatch":
			p.element(member.Value, at)
		default:
			p.expression(member.Value, at)
		}
	}
	for i, item := range v.items {
		p.expression(item, path.Index(i))
	}
}

// sortOrder wants the keys of a sort order in a string, unless there is only one.
func (p *places) sortOrder(v Value, path *field.Path) {
	if !v.verbatim && len(v.members) > 1 && !hasOperators(v) {
		*p = append(*p, Unordered{path, v})
	}
}

// isOperator says whether a key is one of the server's. One that stands for a parameter's text is a field's name.
func isOperator(key string) bool {
	return strings.HasPrefix(key, "$") && !strings.HasPrefix(key, KeyParameter+":")
}

func hasOperators(v Value) bool {
	return slices.ContainsFunc(v.members, func(m Member) bool { return isOperator(m.Key) })
}
