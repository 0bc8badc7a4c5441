package page

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// fewestOnScale is how many values make a curve: through two points goes any line.
const fewestOnScale = 3

// SuiteScale is a number of the specification in which variants differ, with the variants that differ in nothing else
// as curves.
type SuiteScale struct {
	// Path of the field, and With those that change together with it.
	Path string   `json:"path"`
	With []string `json:"with"`
	// Unit of the numbers, for people: cores, MiB, or none.
	Unit   string       `json:"unit"`
	Curves []SuiteCurve `json:"curves"`
}

// SuiteCurve is variants in the order of their numbers.
type SuiteCurve struct {
	Name   string       `json:"name"`
	Points []SuitePoint `json:"points"`
}

// SuitePoint is one variant, by its index, at its number.
type SuitePoint struct {
	X       float64 `json:"x"`
	Variant int     `json:"variant"`
}

// scaleField is a field in which specifications differ: its value of each side, "" where one has none.
type scaleField struct {
	path   string
	values []string
}

// determines says whether sides that are alike in this field are alike in the other.
func (f scaleField) determines(other scaleField) bool {
	seen := map[string]string{}
	for i, value := range f.values {
		if before, ok := seen[value]; ok && before != other.values[i] {
			return false
		}
		seen[value] = other.values[i]
	}
	return true
}

// numbers are the field's values, NaN where a side has none, with their unit for people; nil when one of them is no
// number that means a size, such as a version.
func (f scaleField) numbers() (numbers []float64, unit string) {
	if f.path == "seed" {
		return nil, ""
	}
	for _, value := range f.values {
		number := math.NaN()
		text, err := strconv.Unquote(value)
		switch {
		case value == "":
		case err == nil:
			unit = scaleUnit(f.path)
			quantity, err := resource.ParseQuantity(text)
			if err != nil || unit == "" {
				return nil, ""
			}
			if number = quantity.AsApproximateFloat64(); unit == "MiB" {
				number /= 1 << 20
			}
		default:
			if number, err = strconv.ParseFloat(value, 64); err != nil {
				return nil, ""
			}
		}
		numbers = append(numbers, number)
	}
	return numbers, unit
}

// scaleUnit of a field that is a quantity.
func scaleUnit(path string) string {
	switch path[strings.LastIndex(path, ".")+1:] {
	case "cpu":
		return "cores"
	case "memory", "storage", "ephemeral-storage", "sizeLimit":
		return "MiB"
	}
	return ""
}

// suiteScales are the numbers over which the variants make curves. A result knows the variants' specifications and not
// the matrix that made them; of fields that change together one stands for all.
func suiteScales(sides []comparison.Side) []SuiteScale {
	names := make([]string, 0, len(sides))
	for _, side := range sides {
		names = append(names, side.Name)
	}
	fields := scaleFields(sides)
	scales, done := []SuiteScale{}, map[string]bool{}
	for _, field := range byLikelihood(fields, names) {
		numbers, unit := field.numbers()
		if done[field.path] || numbers == nil {
			continue
		}
		scale := SuiteScale{
			Path: field.path, With: changedWith(field, fields), Unit: unit, Curves: curves(field, numbers, fields, names),
		}
		for _, path := range scale.With {
			done[path] = true
		}
		if len(scale.Curves) > 0 {
			scales = append(scales, scale)
		}
	}
	return scales
}

// changedWith are the paths of the fields that change whenever a field does, and not else.
func changedWith(field scaleField, fields []scaleField) []string {
	paths := []string{}
	for _, other := range fields {
		if other.path != field.path && field.determines(other) && other.determines(field) {
			paths = append(paths, other.path)
		}
	}
	return paths
}

// scaleFields are the fields in which the specifications differ, by their paths.
func scaleFields(sides []comparison.Side) []scaleField {
	found := map[string]*scaleField{}
	for at, side := range sides {
		for path, value := range comparison.Leaves(side.Spec, true) {
			if found[path] == nil {
				found[path] = &scaleField{path: path, values: make([]string, len(sides))}
			}
			found[path].values[at] = value
		}
	}
	var fields []scaleField
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if len(slices.Compact(slices.Clone(found[path].values))) > 1 {
			fields = append(fields, *found[path])
		}
	}
	return fields
}

// digits of a variant's name, as in shards12.
var digits = regexp.MustCompile(`[0-9]+`)

// byLikelihood puts the field that people mean first: the one whose numbers are in the variants' names.
func byLikelihood(fields []scaleField, names []string) []scaleField {
	named := func(field scaleField) int {
		for i, name := range names {
			if !slices.Contains(digits.FindAllString(name, -1), field.values[i]) {
				return 1
			}
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(fields), func(a, b scaleField) int {
		return cmp.Or(cmp.Compare(named(a), named(b)), cmp.Compare(len(a.path), len(b.path)))
	})
}

// curves are the variants that differ in a field, and in nothing that does not follow from it.
func curves(field scaleField, numbers []float64, fields []scaleField, names []string) []SuiteCurve {
	groups := map[string][]SuitePoint{}
	var order []string
	for variant, x := range numbers {
		if math.IsNaN(x) {
			continue
		}
		group := othersOf(field, fields, variant)
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], SuitePoint{X: x, Variant: variant})
	}
	var found []SuiteCurve
	for _, group := range order {
		points := groups[group]
		slices.SortStableFunc(points, func(a, b SuitePoint) int { return cmp.Compare(a.X, b.X) })
		alike := func(a, b SuitePoint) bool { return a.X == b.X }
		if len(slices.CompactFunc(slices.Clone(points), alike)) >= fewestOnScale {
			found = append(found, SuiteCurve{Name: curveName(points, names), Points: points})
		}
	}
	return found
}

// othersOf are the values of a variant in all fields that do not follow from one.
func othersOf(field scaleField, fields []scaleField, variant int) string {
	var others strings.Builder
	for _, other := range fields {
		if !field.determines(other) {
			others.WriteString(other.values[variant] + "\n")
		}
	}
	return others.String()
}

// curveName is what the names of its variants have in common, which are choices joined by dashes.
func curveName(points []SuitePoint, names []string) string {
	first := strings.Split(names[points[0].Variant], "-")
	var common []string
	for i, part := range first {
		elsewhere := func(point SuitePoint) bool {
			parts := strings.Split(names[point.Variant], "-")
			return len(parts) != len(first) || parts[i] != part
		}
		if !slices.ContainsFunc(points, elsewhere) {
			common = append(common, part)
		}
	}
	return cmp.Or(strings.Join(common, "-"), "all variants")
}
