package infer

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fields declares what the documents of a node hold; fields of documents within them by names with dots.
func (i *inference) fields(prefix string, n *node, documents int64) []benchv1alpha1.Field {
	var fields []benchv1alpha1.Field
	for _, child := range n.fields {
		path := prefix + child.name
		if !i.expressible(child, path, documents) {
			continue
		}
		switch kind, _ := child.main(); {
		case path == idField && kind == bson.TypeEmbeddedDocument && len(child.fields) > 0:
			fields = append(fields, i.documentID(child))
		case kind == bson.TypeEmbeddedDocument && len(child.fields) > 0:
			fields = append(fields, i.fields(path+".", child, child.types[bson.TypeEmbeddedDocument])...)
		case kind == bson.TypeArray:
			fields = append(fields, i.array(path, child))
		default:
			fields = append(fields, benchv1alpha1.Field{Name: path, Generator: i.generator(path, child)})
		}
	}
	return fields
}

// expressible says whether a field can be declared, and notes how it differs from what is.
func (i *inference) expressible(n *node, path string, documents int64) bool {
	switch {
	case n.name == "" || strings.Contains(n.name, ".") || strings.HasPrefix(n.name, "$") || len(path) > longestName:
		i.note(path, "is left out: a dataset cannot have a field of this name")
		return false
	case 2*n.seen < documents:
		i.note(path, "is left out: it is in %s of the documents, and a generated field is in all", percent(n.seen, documents))
		return false
	case n.seen < documents:
		i.note(path, "is in %s of the documents; of the generated ones in all", percent(n.seen, documents))
	}
	if kind, share := n.main(); share < n.seen && !n.fitsChoice() {
		i.note(path, "has values of %s; all generated ones are of type %s", n.typeShares(), typeName(kind))
	}
	return true
}

// typeShares tells people which types the values have.
func (n *node) typeShares() string {
	parts := make([]string, 0, len(n.types))
	for kind, count := range n.types {
		parts = append(parts, fmt.Sprintf("%s (%s)", typeName(kind), percent(count, n.seen)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func typeName(kind bson.Type) string {
	return strings.ToLower(kind.String())
}

func percent(part, whole int64) string {
	share := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case share < 1:
		return "less than 1 %"
	case share > 99 && part < whole:
		return "more than 99 %"
	default:
		return fmt.Sprintf("%.0f %%", share)
	}
}

// documentID declares an _id that is a document, whose fields are not to be told by dots.
func (i *inference) documentID(n *node) benchv1alpha1.Field {
	i.note(idField, "is a document; nothing but its fields keeps the generated ones from repeating")
	return benchv1alpha1.Field{
		Name:      idField,
		Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDocument},
		Document:  &benchv1alpha1.DocumentGenerator{Fields: i.leaves(idField, "", n)},
	}
}

// leaves declares what documents hold that are no fields of their own: no arrays, and not many fields.
func (i *inference) leaves(path, prefix string, n *node) []benchv1alpha1.LeafField {
	var leaves []benchv1alpha1.LeafField
	for _, child := range n.fields {
		name, full := prefix+child.name, path+"."+prefix+child.name
		if !i.expressible(child, full, n.types[bson.TypeEmbeddedDocument]) {
			continue
		}
		switch kind, _ := child.main(); {
		case kind == bson.TypeEmbeddedDocument && len(child.fields) > 0:
			leaves = append(leaves, i.leaves(path, name+".", child)...)
		case kind == bson.TypeArray:
			i.note(full, "is left out: a document in an array or in _id cannot have an array")
		default:
			leaves = append(leaves, benchv1alpha1.LeafField{Name: name, Generator: i.generator(full, child)})
		}
	}
	if len(leaves) > mostNestedFields && prefix == "" {
		i.note(path, "has %d fields, and a document there at most %d: the last are left out", len(leaves), mostNestedFields)
		leaves = leaves[:mostNestedFields]
	}
	return leaves
}

// mostElements is the longest array that can be declared.
const mostElements = 10000

// array declares an array. One that never has an element is a Choice of nothing else.
func (i *inference) array(path string, n *node) benchv1alpha1.Field {
	field := benchv1alpha1.Field{Name: path, Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorArray}}
	least, largest, cut := middle(n.lengths[bson.TypeArray])
	if cut {
		i.note(path, "has lengths that lean to one end; the generated ones have the same mean and are even")
	}
	if largest == 0 || n.elements == nil || n.elements.seen == 0 {
		field.Generator = constant("[]")
		return field
	}
	if largest > mostElements {
		i.note(path, "has up to %d elements; the generated ones at most %d", largest, mostElements)
	}
	field.Array = &benchv1alpha1.ArrayGenerator{MaxItems: int32(min(largest, mostElements)), Element: i.element(path, n)}
	if least > 0 {
		items := int32(min(least, mostElements))
		field.Array.MinItems = &items
	}
	return field
}

func (i *inference) element(path string, n *node) benchv1alpha1.Element {
	elements := n.elements
	inside := path + "[]"
	kind, share := elements.main()
	if share < elements.seen && !elements.fitsChoice() {
		i.note(inside, "has values of %s; all generated ones are of type %s", elements.typeShares(), typeName(kind))
	}
	if kind == bson.TypeArray {
		i.note(inside, "is an array, and an array cannot hold another: it holds nulls instead")
		return benchv1alpha1.Element{Generator: constant(nullConstant)}
	}
	if kind == bson.TypeEmbeddedDocument {
		if leaves := i.leaves(inside, "", elements); len(leaves) > 0 {
			return benchv1alpha1.Element{
				Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDocument},
				Document:  &benchv1alpha1.DocumentGenerator{Fields: leaves},
			}
		}
		return benchv1alpha1.Element{Generator: constant("{}")}
	}
	return benchv1alpha1.Element{Generator: i.generator(inside, elements)}
}

// constant is a value that is always the same, in Extended JSON.
func constant(value benchv1alpha1.Constant) benchv1alpha1.Generator {
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorChoice,
		ValueSettings: benchv1alpha1.ValueSettings{
			Choice: &benchv1alpha1.ChoiceSettings{Values: []benchv1alpha1.ChoiceValue{{Value: value}}},
		},
	}
}
