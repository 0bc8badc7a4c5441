package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// MaxElements is how many elements an array may have.
const MaxElements = 10_000

// Brackets are those that a part of a field's name ends with, and what they say: the array at Path has from Least to
// Most elements. Empty ones say nothing.
//
//	name    lines[1-5].cells[3][].x
//	path    lines   lines[].cells   lines[].cells[]
type Brackets struct {
	Path        string
	Empty       bool
	Least, Most int64
}

// ArraysIn are the brackets in a field's name from left to right, and the name with all of them empty.
func ArraysIn(name string) (path string, arrays []Brackets, err error) {
	var written strings.Builder
	rest := name
	for {
		before, inside, found := strings.Cut(rest, "[")
		if strings.Contains(before, "]") {
			return "", nil, errors.New("has a ] without a [")
		}
		written.WriteString(before)
		if !found {
			return written.String(), arrays, nil
		}
		bounds, after, closed := strings.Cut(inside, "]")
		if !closed || !endsPart(written.String(), after) {
			return "", nil, errors.New("has brackets that do not end a part of it; write lines[1-5].sku")
		}
		array, err := readBounds(bounds)
		if err != nil {
			return "", nil, err
		}
		array.Path = written.String()
		arrays = append(arrays, array)
		written.WriteString(elementSuffix)
		rest = after
	}
}

// endsPart is whether brackets between the two end a part of a name.
func endsPart(before, after string) bool {
	named := before != "" && !strings.HasSuffix(before, ".")
	return named && (after == "" || after[0] == '.' || after[0] == '[')
}

// readBounds reads what is in brackets: nothing, a number of elements, or the fewest and the most.
func readBounds(text string) (array Brackets, err error) {
	if text == "" {
		return Brackets{Empty: true}, nil
	}
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	least, wrongLow := strconv.ParseUint(low, 10, 32)
	most, wrongHigh := strconv.ParseUint(high, 10, 32)
	if wrongLow != nil || wrongHigh != nil || least > most || most < 1 || most > MaxElements {
		return array, fmt.Errorf("has [%s], which is neither a number of elements nor a range like 1-5; "+
			"an array has at most %d", text, MaxElements)
	}
	return Brackets{Least: int64(least), Most: int64(most)}, nil
}

// seedPath is a name as seeds are derived from it: how long an array may be changes none of its elements.
func seedPath(name string) string {
	path, _, err := ArraysIn(name)
	if err != nil {
		return name // Validation refuses it.
	}
	return path
}

// nestArrays turns fields whose names have brackets into arrays, each where its first field stands:
//
//	lines[1-5].sku, at, lines[].cells[3][3]  →  lines: array of {sku, cells: array of arrays}, at
//
// The path leads to the fields, from the top of the documents of an owner, and gives the arrays their seeds.
func nestArrays(owner, path string, fields []planv1.Field) []planv1.Field {
	if !slices.ContainsFunc(fields, func(f planv1.Field) bool { return strings.Contains(f.Name, "[") }) {
		return fields
	}
	nested := make([]planv1.Field, 0, len(fields))
	elements := map[string][]planv1.Field{}
	for _, field := range fields {
		name, inside, _ := strings.Cut(field.Name, "[")
		bounds, rest, isArray := strings.Cut(inside, "]")
		if !isArray {
			nested = append(nested, field)
			continue
		}
		if elements[name] == nil {
			array := planv1.Value{Type: benchv1alpha1.GeneratorArray, Seed: derivedSeed(owner, path+name)}
			nested = append(nested, planv1.Field{Name: name, Value: array})
		}
		array := &nested[slices.IndexFunc(nested, func(f planv1.Field) bool { return f.Name == name })]
		if read, err := readBounds(bounds); err == nil && !read.Empty {
			array.Min, array.Max = read.Least, read.Most
		}
		field.Name = strings.TrimPrefix(rest, ".")
		elements[name] = append(elements[name], field)
	}
	for i := range nested {
		if inside := elements[nested[i].Name]; inside != nil {
			nested[i].Element = elementOf(owner, path+nested[i].Name+elementSuffix, inside)
		}
	}
	return nested
}

// elementOf is what holds the fields of an array's elements: the only one itself, when it has no name, or a document.
func elementOf(owner, path string, fields []planv1.Field) *planv1.Value {
	if len(fields) == 1 && fields[0].Name == "" {
		return &fields[0].Value
	}
	if strings.HasPrefix(fields[0].Name, "[") { // An array of arrays has no other fields.
		return &nestArrays(owner, path, fields)[0].Value
	}
	return &planv1.Value{Type: benchv1alpha1.GeneratorDocument, Fields: nestArrays(owner, path+".", fields)}
}
