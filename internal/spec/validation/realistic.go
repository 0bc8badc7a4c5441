package validation

import (
	"cmp"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// validateMisplaced refuses settings of other types, and a type without those that it needs. The schema has no rules
// for these: a rule of a generator costs a fiftieth of what an API server allows for a whole definition.
func validateMisplaced(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	// Of a Reference without settings the defaults are there.
	referred := ptr.Deref(generator.RefersTo, benchv1alpha1.ReferenceSettings{}).Collection
	for _, settings := range []struct {
		name string
		set  bool
		of   benchv1alpha1.GeneratorType
		// needed is whether the type has to have them.
		needed bool
	}{
		{"decimal", generator.Decimal != nil, benchv1alpha1.GeneratorDecimal, false},
		{"geo", generator.Geo != nil, benchv1alpha1.GeneratorGeoPoint, false},
		{"words", generator.Words != nil, benchv1alpha1.GeneratorWords, false},
		{"fake", generator.Fake != nil, benchv1alpha1.GeneratorFake, true},
		{"fromFile", generator.FromFile != nil, benchv1alpha1.GeneratorFromFile, true},
		{"vector", generator.Vector != nil, benchv1alpha1.GeneratorVector, true},
		{"refersTo", referred != "", benchv1alpha1.GeneratorReference, true},
	} {
		found.Forbid(settings.set && generator.Type != settings.of, path.Child(settings.name),
			"may be set only with type %s", settings.of)
		if settings.needed && !settings.set && generator.Type == settings.of {
			found.Add(field.Required(path.Child(settings.name), "is required with type "+string(settings.of)))
		}
	}
}

// validatePresence checks what brackets in a field's name say, and that what may be missing can be.
func validatePresence(found *product.Findings, name string, presence *int32, path *field.Path) {
	_, _, err := spec.ArraysIn(name)
	found.Refuse(err != nil, path.Child("name"), name, "%v", err)
	missing := *presence < benchv1alpha1.DefaultPresencePercent
	found.Forbid(missing && strings.HasSuffix(name, "]"), path.Child("presencePercent"),
		"an element of an array cannot be missing; lower the least number of elements, or set nullPercent")
}

// sometimes is whether a field has no value in some documents.
func sometimes(presence, null *int32) bool {
	return *presence < benchv1alpha1.DefaultPresencePercent || *null > 0
}

// validateArrays wants each array that names with brackets make to have its number of elements said once.
func validateArrays(found *product.Findings, names []string, path *field.Path) {
	said := map[string]spec.Brackets{}
	for i, name := range names {
		_, arrays, err := spec.ArraysIn(name)
		if err != nil {
			continue // It is refused already.
		}
		for _, array := range arrays {
			before, known := said[array.Path]
			name := path.Index(i).Child("name")
			found.Refuse(!known && array.Empty, name, names[i],
				"has no number of elements for the array %s; say it the first time that it is named, as %s[1-5]", array.Path,
				array.Path)
			found.Refuse(known && !array.Empty && array != before, name, names[i],
				"has another number of elements for the array %s than the name before; leave the brackets empty, %s[]",
				array.Path, array.Path)
			if !known {
				said[array.Path] = array
			}
		}
	}
}

// withoutArrays is a name in which the elements of an array are a part of their own: lines[1-5].sku is lines.[].sku.
func withoutArrays(name string) string {
	path, _, err := spec.ArraysIn(name)
	if err != nil {
		return name
	}
	return strings.ReplaceAll(path, "[]", ".[]")
}

func validateDecimal(found *product.Findings, declared *benchv1alpha1.DecimalSettings, path *field.Path) {
	scale := int(*declared.Scale)
	least, noLeast := spec.Scaled(*declared.Min, scale)
	largest, noLargest := spec.Scaled(*declared.Max, scale)
	switch {
	case noLeast != nil:
		found.Refuse(true, path.Child("min"), *declared.Min, "%v", noLeast)
	case noLargest != nil:
		found.Refuse(true, path.Child("max"), *declared.Max, "%v", noLargest)
	default:
		found.Refuse(least > largest, path.Child("min"), *declared.Min, "must be no more than max, %s", *declared.Max)
	}
}

// validateTimestamp wants times that fit into 32 bits, as seconds since 1970.
func validateTimestamp(found *product.Findings, declared *benchv1alpha1.DateSettings, path *field.Path) {
	if declared.FromLoad() {
		const most = 50 * 365 * 86_400
		near := func(name string, offset *int64) {
			seconds := ptr.Deref(offset, 0)
			found.Refuse(seconds < -most || seconds > most, path.Child(name), seconds,
				"must be from -%d to %d, which is 50 years, for a Timestamp", most, most)
		}
		near("minOffsetSeconds", declared.MinOffsetSeconds)
		near("maxOffsetSeconds", declared.MaxOffsetSeconds)
		return
	}
	fits := func(name string, instant *metav1.Time) {
		seconds := instant.Unix()
		found.Refuse(seconds < 0 || seconds >= math.MaxUint32, path.Child(name), instant,
			"is no time of a Timestamp, which has those from 1970 to 2106")
	}
	fits("min", declared.Min)
	fits("max", declared.Max)
}

func validateGeo(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	declared, geo := generator.Geo, path.Child("geo")
	for _, axis := range []struct {
		low, high         *string
		lowName, highName string
		most              int64
	}{
		{declared.MinLongitude, declared.MaxLongitude, "minLongitude", "maxLongitude", 180},
		{declared.MinLatitude, declared.MaxLatitude, "minLatitude", "maxLatitude", 90},
	} {
		least, noLeast := spec.Scaled(*axis.low, spec.GeoScale)
		largest, noLargest := spec.Scaled(*axis.high, spec.GeoScale)
		most := axis.most * int64(math.Pow10(spec.GeoScale))
		found.Refuse(noLeast != nil || least < -most || least > most, geo.Child(axis.lowName), *axis.low,
			"must be from -%d to %d degrees", axis.most, axis.most)
		found.Refuse(noLargest != nil || largest < -most || largest > most, geo.Child(axis.highName), *axis.high,
			"must be from -%d to %d degrees", axis.most, axis.most)
		found.Refuse(least > largest, geo.Child(axis.lowName), *axis.low, "must be no more than %s, %s", axis.highName,
			*axis.high)
	}
	even := *declared.Clusters == 0
	found.Forbid(even && declared.ClusterRadiusMeters != nil, geo.Child("clusterRadiusMeters"),
		"may be set only with clusters")
	found.Forbid(even && generator.Distribution.Type != benchv1alpha1.DistributionUniform, path.Child("distribution"),
		"says how many points each of the clusters has, and there are none; set geo.clusters")
}

func validateVector(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	declared, vector := generator.Vector, path.Child("vector")
	if declared == nil {
		return
	}
	everywhere := *declared.Clusters == 0
	found.Forbid(everywhere && declared.SpreadPercent != nil, vector.Child("spreadPercent"),
		"may be set only with clusters")
	found.Forbid(everywhere && generator.Distribution.Type != benchv1alpha1.DistributionUniform,
		path.Child("distribution"), "says how many vectors each of the clusters has, and there are none; set vector.clusters")
}

// referenceCheck checks the references of one collection.
type referenceCheck struct {
	*product.Findings
	collections []benchv1alpha1.Collection
}

// validateReferences checks what the fields of a dataset refer to.
func validateReferences(found *product.Findings, dataset *benchv1alpha1.Dataset, path *field.Path) {
	c := referenceCheck{found, dataset.Collections}
	for i := range dataset.Collections {
		for j := range dataset.Collections[i].Fields {
			declared, path := &dataset.Collections[i].Fields[j], path.Index(i).Child("fields").Index(j)
			c.generator(&declared.Generator, path)
			c.document(declared.Document, path.Child("document"))
			if declared.Array != nil {
				element := path.Child("array", "element")
				c.generator(&declared.Array.Element.Generator, element)
				c.document(declared.Array.Element.Document, element.Child("document"))
			}
		}
	}
}

func (c referenceCheck) document(document *benchv1alpha1.DocumentGenerator, path *field.Path) {
	for i := range ptr.Deref(document, benchv1alpha1.DocumentGenerator{}).Fields {
		c.generator(&document.Fields[i].Generator, path.Child("fields").Index(i))
	}
}

func (c referenceCheck) generator(generator *benchv1alpha1.Generator, path *field.Path) {
	reference := generator.RefersTo
	if reference == nil || reference.Collection == "" || generator.Type != benchv1alpha1.GeneratorReference {
		return
	}
	c.Forbid(reference.DocumentsPerKey != nil && generator.Distribution.Type != benchv1alpha1.DistributionUniform,
		path.Child("distribution"), "is not possible with refersTo.documentsPerKey, which counts instead of drawing")
	path = path.Child("refersTo")
	at := slices.IndexFunc(c.collections, func(one benchv1alpha1.Collection) bool {
		return one.Name == reference.Collection
	})
	if at < 0 {
		c.Refuse(true, path.Child("collection"), reference.Collection, "must be a collection of the dataset")
		return
	}
	parent := &c.collections[at]
	c.Refuse(ptr.Deref(parent.DocumentCount, 0) == 0, path.Child("collection"), reference.Collection,
		"is loaded with no documents to refer to; set its documentCount")
	c.field(parent, reference, path)
}

func (c referenceCheck) field(
	parent *benchv1alpha1.Collection, reference *benchv1alpha1.ReferenceSettings, path *field.Path,
) {
	name, path, orphans := *reference.Field, path.Child("field"), path.Child("orphanPercent")
	declared := fieldOf(parent, name)
	if declared == nil {
		c.Refuse(name != idField, path, name, "is no top-level field of collection %s; name one, or _id", parent.Name)
		return // An _id that is not declared is an ObjectID.
	}
	switch {
	case declared.Document != nil, declared.Array != nil, strings.ContainsAny(name, ".["):
		c.Refuse(true, path, name, "must be a single value at the top of the documents of collection %s", parent.Name)
	case declared.Type == benchv1alpha1.GeneratorReference:
		c.Refuse(true, path, name, "is a Reference itself; refer to field %s of collection %s",
			*declared.RefersTo.Field, declared.RefersTo.Collection)
	case sometimes(declared.PresencePercent, declared.NullPercent):
		c.Refuse(true, path, name, "has no value in some documents of collection %s; name one that all have", parent.Name)
	default:
		c.Refuse(*reference.OrphanPercent > 0 && !endless(declared), orphans, *reference.OrphanPercent,
			"needs a field whose values never repeat; those of %s, of type %s, do or may", name, declared.Type)
	}
}

// endless is whether a field has another value for each of far more records than any collection has.
func endless(declared *benchv1alpha1.Field) bool {
	switch declared.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		return false
	case benchv1alpha1.GeneratorSequence:
		// The record numbers of orphans have less than 46 bits.
		const most = math.MaxInt64 >> 47
		return max(*declared.Sequence.Step, -*declared.Sequence.Step) <= most &&
			max(*declared.Sequence.Start, -*declared.Sequence.Start) <= math.MaxInt64/2
	default:
		return unique(declared, 1)
	}
}

// validateOptionalKeys refuses fields that must be in every document, and are missing or null in some: an _id, and the
// only key of a unique index, of which the second document without would be one too many.
func validateOptionalKeys(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	for i := range collection.Fields {
		declared, path := &collection.Fields[i], path.Child("fields").Index(i)
		if !sometimes(declared.PresencePercent, declared.NullPercent) {
			continue
		}
		found.Refuse(declared.Name == idField, path.Child("name"), declared.Name,
			"is in every document, and never null; leave out presencePercent and nullPercent")
		for _, index := range collection.Indexes {
			only := len(index.Keys) == 1 && index.Keys[0].Field == declared.Name &&
				slices.Contains(index.Properties, benchv1alpha1.IndexUnique)
			sparse := slices.Contains(index.Properties, benchv1alpha1.IndexSparse)
			null := *declared.NullPercent > 0
			found.Refuse(only && (null || !sparse), path.Child("name"), declared.Name,
				"has no value in some documents, of which a Unique index %s allows one; make the index Sparse, and no value null",
				cmp.Or(ptr.Deref(index.Name, ""), keyPattern(&index)))
		}
	}
}
