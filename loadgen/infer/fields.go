package infer

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fields declares what the documents of a node hold; fields of documents within them by names with dots.
func (i *inference) fields(prefix string, n *node, documents int64) []benchv1alpha1.Field {
	var fields []benchv1alpha1.Field
	for _, child := range n.fields {
		path := prefix + child.name
		if !i.expressible(child, path) {
			continue
		}
		presence := i.presence(child, path, documents)
		switch kind, _ := child.main(); {
		case path == idField && child.holdsFields():
			fields = append(fields, i.documentID(child))
		case child.holdsFields() && presence == nil && child.nulls() == 0:
			fields = append(fields, i.fields(path+".", child, child.types[bson.TypeEmbeddedDocument])...)
		case child.holdsFields():
			fields = append(fields, i.optionalDocument(path, child, presence))
		case kind == bson.TypeArray:
			fields = append(fields, i.array(path, child, presence)...)
		default:
			fields = append(fields, benchv1alpha1.Field{
				Name: path, PresencePercent: presence, Generator: sometimesNull(i, path, child, i.generator(path, child)),
			})
		}
	}
	return fields
}

// holdsFields says whether values are documents that are declared by their fields.
func (n *node) holdsFields() bool {
	kind, _ := n.main()
	return kind == bson.TypeEmbeddedDocument && len(n.fields) > 0 && !n.arePoints()
}

// optionalDocument declares a document that is not in every document around it, or null in some.
func (i *inference) optionalDocument(path string, n *node, presence *int32) benchv1alpha1.Field {
	field := benchv1alpha1.Field{Name: path, PresencePercent: presence}
	leaves := i.leaves(path, "", n)
	if len(leaves) == 0 {
		field.Generator = constant("{}")
		return field
	}
	field.Generator = sometimesNull(i, path, n, benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDocument})
	field.Document = &benchv1alpha1.DocumentGenerator{Fields: leaves}
	return field
}

// expressible says whether a field can be declared, and notes how it differs from what is.
func (i *inference) expressible(n *node, path string) bool {
	if n.name == "" || strings.ContainsAny(n.name, ".[]") || strings.HasPrefix(n.name, "$") || len(path) > longestName {
		i.note(path, "is left out: a dataset cannot have a field of this name")
		return false
	}
	if kind, share := n.main(); share+n.nulls() < n.seen && !n.fitsChoice() {
		i.note(path, "has values of %s; all generated ones are of type %s", n.typeShares(), typeName(kind))
	}
	return true
}

// nulls are the values that are null, of a field that has others, too.
func (n *node) nulls() int64 {
	if kind, _ := n.main(); kind == bson.TypeNull {
		return 0
	}
	return n.types[bson.TypeNull]
}

// presence is which share of the documents have a field, nil for all. An _id is in all, and a field that must not
// repeat has to be where its index is not sparse.
func (i *inference) presence(n *node, path string, documents int64) *int32 {
	if n.seen >= documents {
		return nil
	}
	if i.unique[path] && !i.sparse[path] {
		i.note(path, "is in %s of the documents; of the generated ones in all, for its index is unique and not sparse",
			percent(n.seen, documents))
		return nil
	}
	return whole(n.seen, documents)
}

// whole is a share in percent, neither nothing nor all.
func whole(part, of int64) *int32 {
	share := int32(math.Round(100 * float64(part) / float64(max(of, 1))))
	return new(max(1, min(share, 99)))
}

// sometimesNull has as many values null as those of the sample. A Choice has its nulls among its values.
func sometimesNull(i *inference, path string, n *node, g benchv1alpha1.Generator) benchv1alpha1.Generator {
	nulls := n.nulls()
	switch {
	case nulls == 0 || g.Type == benchv1alpha1.GeneratorChoice && n.fitsChoice():
	case i.unique[path]:
		i.note(path, "is null in %s of the documents; of the generated ones in none, for its index is unique",
			percent(nulls, n.seen))
	default:
		g.NullPercent = whole(nulls, n.seen)
	}
	return g
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

// leaf is a field that holds no others, wherever it is.
type leaf struct {
	name      string
	presence  *int32
	generator benchv1alpha1.Generator
}

// leaves declares what documents hold that are no fields of their own, and not many of them.
func (i *inference) leaves(path, prefix string, n *node) []benchv1alpha1.LeafField {
	found := i.within(path+".", prefix, n)
	if len(found) > mostNestedFields {
		i.note(path, "has %d fields, and a document there at most %d: the last are left out", len(found), mostNestedFields)
		found = found[:mostNestedFields]
	}
	leaves := make([]benchv1alpha1.LeafField, 0, len(found))
	for _, one := range boundOnce(found) {
		leaves = append(leaves, benchv1alpha1.LeafField{
			Name: one.name, PresencePercent: one.presence, Generator: one.generator,
		})
	}
	return leaves
}

// within are the fields of documents, those of documents and arrays within them by names with dots and brackets. The
// path leads to them, the prefix is how their names begin.
func (i *inference) within(path, prefix string, n *node) []leaf {
	var leaves []leaf
	for _, child := range n.fields {
		name, full := prefix+child.name, path+prefix+child.name
		if !i.expressible(child, full) {
			continue
		}
		presence := i.presence(child, full, n.types[bson.TypeEmbeddedDocument])
		switch kind, _ := child.main(); {
		case child.holdsFields():
			noteAlways(i, full, presence, "document")
			leaves = append(leaves, i.within(path, name+".", child)...)
		case kind == bson.TypeArray && child.hasElements():
			noteAlways(i, full, presence, "array")
			leaves = append(leaves, i.elements(path, name, child)...)
		case kind == bson.TypeArray:
			leaves = append(leaves, leaf{name, presence, constant("[]")})
		default:
			leaves = append(leaves, leaf{name, presence, sometimesNull(i, full, child, i.generator(full, child))})
		}
	}
	return leaves
}

// noteAlways tells of a document or array that names with dots and brackets always make.
func noteAlways(i *inference, path string, presence *int32, what string) {
	if presence != nil {
		i.note(path, "is in %d %% of the documents around it; a generated %s within another is in all", *presence, what)
	}
}

// elements are the fields of what an array holds, whose name gets brackets with the number of elements.
func (i *inference) elements(path, name string, n *node) []leaf {
	least, largest := lengths(i, path+name, n)
	number := strconv.FormatInt(least, 10)
	if largest > least {
		number += "-" + strconv.FormatInt(largest, 10)
	}
	name += "[" + number + "]"
	elements, full := n.elements, path+name
	if kind, share := elements.main(); share+elements.nulls() < elements.seen && !elements.fitsChoice() {
		i.note(full, "has values of %s; all generated ones are of type %s", elements.typeShares(), typeName(kind))
	}
	switch kind, _ := elements.main(); {
	case elements.holdsFields():
		return i.within(path, name+".", elements)
	case kind == bson.TypeArray && elements.hasElements():
		return i.elements(path, name, elements)
	case kind == bson.TypeArray:
		return []leaf{{name, nil, constant("[]")}}
	default:
		return []leaf{{name, nil, sometimesNull(i, full, elements, i.generator(full, elements))}}
	}
}

// bounds are brackets with a number of elements.
var bounds = regexp.MustCompile(`\[[0-9]+(-[0-9]+)?\]`)

// boundOnce keeps the number of elements of each array where it is named first.
func boundOnce(leaves []leaf) []leaf {
	named := map[string]bool{}
	once := make([]leaf, 0, len(leaves))
	for _, one := range leaves {
		name, rest := "", one.name
		for found := bounds.FindStringIndex(rest); found != nil; found = bounds.FindStringIndex(rest) {
			before, array := rest[:found[0]], rest[found[0]:found[1]]
			if path := bounds.ReplaceAllString(name+before, "[]"); named[path] {
				array = "[]"
			} else {
				named[path] = true
			}
			name, rest = name+before+array, rest[found[1]:]
		}
		one.name = name + rest
		once = append(once, one)
	}
	return once
}

// mostElements is the longest array that can be declared.
const mostElements = 10000

// hasElements says whether any of the arrays has one.
func (n *node) hasElements() bool {
	return n.elements != nil && n.elements.seen > 0
}

// lengths of arrays that have elements.
func lengths(i *inference, path string, n *node) (least, largest int64) {
	least, largest, cut := middle(n.lengths[bson.TypeArray])
	if cut {
		i.note(path, "has lengths that lean to one end; the generated ones have the same mean and are even")
	}
	if largest > mostElements {
		i.note(path, "has up to %d elements; the generated ones at most %d", largest, mostElements)
	}
	return min(least, mostElements), max(1, min(largest, mostElements))
}

// array declares an array. One that never has an element is a Choice of nothing else, and one that holds arrays is
// declared by names with brackets.
func (i *inference) array(path string, n *node, presence *int32) []benchv1alpha1.Field {
	field := benchv1alpha1.Field{
		Name: path, PresencePercent: presence, Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorArray},
	}
	if !n.hasElements() {
		field.Generator = constant("[]")
		return []benchv1alpha1.Field{field}
	}
	if kind, _ := n.elements.main(); kind == bson.TypeArray {
		noteAlways(i, path, presence, "array of arrays")
		var fields []benchv1alpha1.Field
		for _, one := range boundOnce(i.elements("", path, n)) {
			fields = append(fields, benchv1alpha1.Field{
				Name: one.name, PresencePercent: one.presence, Generator: one.generator,
			})
		}
		return fields
	}
	if dimensions, ok := n.areVectors(); ok {
		field.Generator = vector(i, path, dimensions)
		field.NullPercent = sometimesNull(i, path, n, field.Generator).NullPercent
		return []benchv1alpha1.Field{field}
	}
	least, largest := lengths(i, path, n)
	field.NullPercent = sometimesNull(i, path, n, field.Generator).NullPercent
	field.Array = &benchv1alpha1.ArrayGenerator{MaxItems: int32(largest), Element: i.element(path, n)}
	if least > 0 {
		field.Array.MinItems = new(int32(least))
	}
	return []benchv1alpha1.Field{field}
}

func (i *inference) element(path string, n *node) benchv1alpha1.Element {
	elements := n.elements
	inside := path + "[]"
	if kind, share := elements.main(); share+elements.nulls() < elements.seen && !elements.fitsChoice() {
		i.note(inside, "has values of %s; all generated ones are of type %s", elements.typeShares(), typeName(kind))
	}
	if elements.holdsFields() {
		if leaves := i.leaves(inside, "", elements); len(leaves) > 0 {
			return benchv1alpha1.Element{
				Generator: sometimesNull(i, inside, elements,
					benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDocument}),
				Document: &benchv1alpha1.DocumentGenerator{Fields: leaves},
			}
		}
		return benchv1alpha1.Element{Generator: constant("{}")}
	}
	return benchv1alpha1.Element{Generator: sometimesNull(i, inside, elements, i.generator(inside, elements))}
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
