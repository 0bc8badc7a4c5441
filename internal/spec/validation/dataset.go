package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	idField = "_id"
	// markCollection marks the database of a dataset.
	markCollection = "mongobench.dataset"
)

func validateDataset(dataset *benchv1alpha1.Dataset, path *field.Path) field.ErrorList {
	errs := make(field.ErrorList, 0, len(dataset.Collections))
	for i := range dataset.Collections {
		errs = append(errs, validateCollection(&dataset.Collections[i], path.Child("collections").Index(i))...)
	}
	return errs
}

func validateCollection(collection *benchv1alpha1.Collection, path *field.Path) field.ErrorList {
	fields := path.Child("fields")
	names := make([]string, 0, len(collection.Fields))
	var errs field.ErrorList
	for i := range collection.Fields {
		declared := &collection.Fields[i]
		names = append(names, declared.Name)
		errs = append(errs, validateField(declared, fields.Index(i))...)
		errs = append(errs, validateSequence(declared, collection, fields.Index(i))...)
		if declared.Name == idField {
			errs = append(errs, validateID(declared, collection, fields.Index(i))...)
		}
	}
	errs = append(errs, validateNames(names, fields)...)
	if size := documentSize(collection.Fields).largest; size > maxDocumentBytes {
		errs = append(errs, field.Invalid(fields, fmt.Sprintf("%d bytes", size),
			"a document with the largest values would be over the 16 MiB that a BSON document may have"))
	}
	if collection.Name == markCollection {
		errs = append(errs, field.Invalid(path.Child("name"), collection.Name,
			"in this collection the load generator keeps what is known of the dataset; choose another name"))
	}
	errs = append(errs, validateCapped(collection, path)...)
	return append(errs, validateIndexes(collection, path.Child("indexes"))...)
}

// validateNames adds to validatePrefixes what holds for the names at the top of a document.
func validateNames(names []string, path *field.Path) field.ErrorList {
	errs := validatePrefixes(names, path)
	for i, name := range names {
		if strings.HasPrefix(name, idField+".") && !slices.Contains(names, idField) {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), name,
				"_id is a value of its own; declare a field _id of type Document"))
		}
	}
	return errs
}

// validatePrefixes refuses names that want a place to be a value and a document at once.
func validatePrefixes(names []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("name"), name))
		}
		seen[name] = true
		for _, other := range names {
			if strings.HasPrefix(name, other+".") {
				errs = append(errs, field.Invalid(path.Index(i).Child("name"), name, fmt.Sprintf(
					"field %q has a value of its own and cannot hold another field; rename one of the two", other)))
			}
		}
	}
	return errs
}

// validateID refuses an _id that would repeat itself: the load would end with a duplicate key error.
func validateID(declared *benchv1alpha1.Field, collection *benchv1alpha1.Collection, path *field.Path) field.ErrorList {
	if unique(declared, ptr.Deref(collection.DocumentCount, 0)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("type"), declared.Type,
		"values of _id must not repeat; use ObjectID, Sequence, Serial or UUID, an Int or Long with distribution Sequential "+
			"over at least documentCount values, or a String or Binary with a minLength of 16 and compressiblePercent unset")}
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
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return *declared.Bytes.MinLength >= leastRandomBytes && *declared.Bytes.CompressiblePercent == 0
	default:
		return false
	}
}

// spans is whether there are at least so many integers from least to largest; the difference of the two may not fit.
func spans(least, largest, count int64) bool {
	return largest >= least && uint64(largest-least) >= uint64(max(count, 1)-1)
}

// validateCapped refuses a capped collection that would overwrite its first documents while it is loaded.
func validateCapped(collection *benchv1alpha1.Collection, path *field.Path) field.ErrorList {
	options := ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{})
	documents := ptr.Deref(collection.DocumentCount, 0)
	if options.Capped == nil || documents == 0 {
		return nil
	}
	capped := path.Child("options", "capped")
	if limit := options.Capped.MaxDocuments; limit != nil && documents > *limit {
		return field.ErrorList{field.Invalid(capped.Child("maxDocuments"), *limit, fmt.Sprintf(
			"must be at least documentCount, %d: the collection would lose documents while it is loaded", documents))}
	}
	if least := documentSize(collection.Fields).smallest; least > options.Capped.SizeBytes/documents {
		return field.ErrorList{field.Invalid(capped.Child("sizeBytes"), options.Capped.SizeBytes, fmt.Sprintf(
			"must have room for documentCount, %d, documents of at least %d bytes: the collection would lose documents "+
				"while it is loaded", documents, least))}
	}
	return nil
}

func validateIndexes(collection *benchv1alpha1.Collection, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	patterns, names := make([]string, 0, len(collection.Indexes)), make([]string, 0, len(collection.Indexes))
	for i := range collection.Indexes {
		index, indexPath := &collection.Indexes[i], path.Index(i)
		errs = append(errs, validateIndex(collection, index, indexPath)...)
		pattern := keyPattern(index)
		if slices.Contains(patterns, pattern) {
			errs = append(errs, field.Duplicate(indexPath.Child("keys"), pattern))
		}
		patterns = append(patterns, pattern)
		name := cmp.Or(ptr.Deref(index.Name, ""), pattern)
		if slices.Contains(names, name) {
			errs = append(errs, field.Duplicate(indexPath.Child("name"), name))
		}
		names = append(names, name)
	}
	return errs
}

// keyPattern is the name that the server derives for an index, which two indexes with the same keys share.
func keyPattern(index *benchv1alpha1.Index) string {
	parts := make([]string, 0, 2*len(index.Keys))
	for _, key := range index.Keys {
		switch *key.Type {
		case benchv1alpha1.IndexKeyDescending:
			parts = append(parts, key.Field, "-1")
		case benchv1alpha1.IndexKeyHashed:
			parts = append(parts, key.Field, "hashed")
		default:
			parts = append(parts, key.Field, "1")
		}
	}
	return strings.Join(parts, "_")
}
