package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	idField = "_id"
	// markCollection marks the database of a dataset.
	markCollection = "mongobench.dataset"
)

func validateDataset(found *product.Findings, dataset *benchv1alpha1.Dataset, path *field.Path) {
	for i := range dataset.Collections {
		collection, path := &dataset.Collections[i], path.Child("collections").Index(i)
		found.Refuse(collection.Name == markCollection, path.Child("name"), collection.Name,
			"in this collection the load generator keeps what is known of the dataset; choose another name")
		if collection.View != nil {
			validateView(found, dataset, collection, path.Child("view"))
			continue
		}
		validateCollection(found, collection, path)
	}
}

func validateCollection(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	fields := path.Child("fields")
	names := make([]string, 0, len(collection.Fields))
	for i := range collection.Fields {
		declared := &collection.Fields[i]
		names = append(names, declared.Name)
		validateField(found, declared, fields.Index(i))
		validateSequence(found, declared, collection, fields.Index(i))
		// The load would end with a duplicate key error.
		found.Refuse(declared.Name == idField && !unique(declared, ptr.Deref(collection.DocumentCount, 0)),
			fields.Index(i).Child("type"), declared.Type,
			"values of _id must not repeat; use ObjectID, Sequence, Serial or UUID, an Int, Long or Date with distribution "+
				"Sequential over at least documentCount values, or a String or Binary with a minLength of 16 and "+
				"compressiblePercent unset")
	}
	validateNames(found, names, fields)
	size := documentSize(collection.Fields).largest
	found.Refuse(size > maxDocumentBytes, fields, fmt.Sprintf("%d bytes", size),
		"a document with the largest values would be over the 16 MiB that a BSON document may have")
	validateOptions(found, collection, path.Child("options"))
	validateIndexes(found, collection, path.Child("indexes"))
}

// validateNames adds to validatePrefixes what holds for the names at the top of a document.
func validateNames(found *product.Findings, names []string, path *field.Path) {
	validatePrefixes(found, names, path)
	for i, name := range names {
		found.Refuse(strings.HasPrefix(name, idField+".") && !slices.Contains(names, idField),
			path.Index(i).Child("name"), name, "_id is a value of its own; declare a field _id of type Document")
	}
}

// validatePrefixes refuses names that want a place to be a value and a document at once.
func validatePrefixes(found *product.Findings, names []string, path *field.Path) {
	for i, name := range names {
		path := path.Index(i).Child("name")
		if slices.Contains(names[:i], name) {
			found.Add(field.Duplicate(path, name))
		}
		for _, other := range names {
			found.Refuse(strings.HasPrefix(name, other+"."), path, name,
				"field %q has a value of its own and cannot hold another field; rename one of the two", other)
		}
	}
}

// leastRandomBytes of a String (6 bits each) or Binary that make a repetition among any number of documents unlikely.
const leastRandomBytes = 16

func unique(declared *benchv1alpha1.Field, documents int64) bool {
	switch declared.Type {
	case benchv1alpha1.GeneratorObjectID, benchv1alpha1.GeneratorSequence, benchv1alpha1.GeneratorUUID,
		benchv1alpha1.GeneratorSerial, benchv1alpha1.GeneratorDocument:
		return true
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		least, largest := *declared.Integer.Min, *declared.Integer.Max
		return declared.Distribution.Type == benchv1alpha1.DistributionSequential && spans(least, largest, documents)
	case benchv1alpha1.GeneratorDate:
		return declared.Distribution.Type == benchv1alpha1.DistributionSequential &&
			spans(0, dateMillis(declared.Date), documents)
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return *declared.Bytes.MinLength >= leastRandomBytes && *declared.Bytes.CompressiblePercent == 0
	default:
		return false
	}
}

// dateMillis are the milliseconds between the earliest and the latest instant of a normalised Date.
func dateMillis(date *benchv1alpha1.DateSettings) int64 {
	if date.FromLoad() {
		return 1000 * (ptr.Deref(date.MaxOffsetSeconds, 0) - ptr.Deref(date.MinOffsetSeconds, 0))
	}
	return date.Max.UnixMilli() - date.Min.UnixMilli()
}

// spans is whether there are at least count integers from least to largest; the difference of the two may not fit.
func spans(least, largest, count int64) bool {
	return largest >= least && uint64(largest-least) >= uint64(max(count, 1)-1)
}

// maxDocumentBytes is what a BSON document may take (https://www.mongodb.com/docs/manual/reference/limits/).
const maxDocumentBytes = int64(16) << 20

// Parts of a document as the BSON specification defines them (https://bsonspec.org/spec.html).
const (
	scalarBytes    = 8  // the most common size of a value; those of 1, 4, 12 or 16 bytes do not change an estimate
	frameBytes     = 5  // the length in front of a document and the zero behind it
	keyExtraBytes  = 2  // an element's type and the zero that ends its name
	lengthBytes    = 5  // the length in front of a string and the zero behind it, or a binary's length and subtype
	indexNameBytes = 3  // the name of an array's element, its index in decimal
	serialDigits   = 19 // the decimal digits of a hash of 63 bits
)

// sizes are estimates of how many bytes a value takes.
type sizes struct {
	smallest, mean, largest int64
}

func fixed(bytes int64) sizes {
	return sizes{bytes, bytes, bytes}
}

func (s sizes) plus(other sizes) sizes {
	return sizes{s.smallest + other.smallest, s.mean + other.mean, s.largest + other.largest}
}

// documentSize estimates the size of a collection's documents; an _id that is not declared counts as well.
func documentSize(fields []benchv1alpha1.Field) sizes {
	sum := fixed(frameBytes + scalarBytes + keyExtraBytes + int64(len(idField)))
	for i := range fields {
		declared := &fields[i]
		value := generatorSize(&declared.Generator)
		switch {
		case declared.Document != nil:
			value = nestedSize(declared.Document)
		case declared.Array != nil:
			value = arraySize(declared.Array)
		}
		sum = sum.plus(value).plus(fixed(int64(len(declared.Name)) + keyExtraBytes))
	}
	return sum
}

func nestedSize(document *benchv1alpha1.DocumentGenerator) sizes {
	sum := fixed(frameBytes)
	for i := range document.Fields {
		name := fixed(int64(len(document.Fields[i].Name)) + keyExtraBytes)
		sum = sum.plus(generatorSize(&document.Fields[i].Generator)).plus(name)
	}
	return sum
}

func arraySize(array *benchv1alpha1.ArrayGenerator) sizes {
	element := generatorSize(&array.Element.Generator)
	if array.Element.Document != nil {
		element = nestedSize(array.Element.Document)
	}
	element = element.plus(fixed(keyExtraBytes + indexNameBytes))
	least, largest := int64(*array.MinItems), int64(array.MaxItems)
	return sizes{
		smallest: frameBytes + element.smallest*least,
		mean:     frameBytes + element.mean*(least+largest)/2,
		largest:  frameBytes + element.largest*largest,
	}
}

func generatorSize(generator *benchv1alpha1.Generator) sizes {
	switch generator.Type {
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		least, largest := int64(*generator.Bytes.MinLength), int64(*generator.Bytes.MaxLength)
		return sizes{least, (least + largest) / 2, largest}.plus(fixed(lengthBytes))
	case benchv1alpha1.GeneratorSerial:
		prefix, digits := int64(len(*generator.Serial.Prefix)), int64(*generator.Serial.Digits)
		return sizes{prefix + digits, prefix + max(digits, serialDigits), prefix + max(digits, serialDigits)}.
			plus(fixed(lengthBytes))
	default:
		return fixed(scalarBytes)
	}
}
