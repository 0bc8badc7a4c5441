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
	validateExisting(found, dataset, path.Child("collections"))
	for i := range dataset.Collections {
		collection, path := &dataset.Collections[i], path.Child("collections").Index(i)
		found.Refuse(collection.Name == markCollection, path.Child("name"), collection.Name,
			"in this collection the load generator keeps what is known of the dataset; choose another name")
		if collection.View != nil {
			validateView(found, dataset, collection, path.Child("view"))
			continue
		}
		validateCollection(found, collection, path)
		validateCopies(found, dataset, i, path)
	}
	validateReferences(found, dataset, path.Child("collections"))
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
	validateOptionalKeys(found, collection, path)
	size := documentSize(collection.Fields).largest
	found.Refuse(size > maxDocumentBytes, fields, fmt.Sprintf("%d bytes", size),
		"a document with the largest values would be over the 16 MiB that a BSON document may have")
	validateOptions(found, collection, path.Child("options"))
	validateIndexes(found, collection, path.Child("indexes"))
	validateSearchIndexes(found, collection, path.Child("searchIndexes"))
}

// validateNames adds to validatePrefixes what holds for the names at the top of a document.
func validateNames(found *product.Findings, names []string, path *field.Path) {
	validatePrefixes(found, names, path)
	for i, name := range names {
		inside := strings.HasPrefix(name, idField+".") && !slices.Contains(names, idField)
		found.Refuse(inside || strings.HasPrefix(name, idField+"["),
			path.Index(i).Child("name"), name, "_id is a value of its own; declare a field _id of type Document")
	}
}

// validatePrefixes refuses names that want a place to be a value and a document at once.
func validatePrefixes(found *product.Findings, declared []string, path *field.Path) {
	validateArrays(found, declared, path)
	names := make([]string, 0, len(declared))
	for _, name := range declared {
		names = append(names, withoutArrays(name))
	}
	for i, name := range names {
		path := path.Index(i).Child("name")
		if slices.Contains(names[:i], name) {
			found.Add(field.Duplicate(path, declared[i]))
		}
		for j, other := range names {
			found.Refuse(strings.HasPrefix(name, other+"."), path, declared[i],
				"field %q has a value of its own and cannot hold another field; rename one of the two", declared[j])
			found.Refuse(arrayAndDocument(name, other), path, declared[i],
				"makes an array of what field %q makes a document; rename one of the two", declared[j])
		}
	}
}

// arrayAndDocument is whether one name has the elements of an array where another has a field.
func arrayAndDocument(name, other string) bool {
	for at := strings.Index(name, ".[]"); at >= 0; {
		if rest, found := strings.CutPrefix(other, name[:at]+"."); found && !strings.HasPrefix(rest, "[]") {
			return true
		}
		next := strings.Index(name[at+1:], ".[]")
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
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
