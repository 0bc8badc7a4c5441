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

// validateIndex refuses what the server would refuse, where every version from 4.4 on agrees.
func validateIndex(
	collection *benchv1alpha1.Collection, index *benchv1alpha1.Index, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	hashed, wildcard := 0, false
	for i, key := range index.Keys {
		if *key.Type == benchv1alpha1.IndexKeyHashed {
			hashed++
		}
		wildcard = wildcard || key.Field == "$**" || strings.HasSuffix(key.Field, ".$**")
		if badPath(key.Field) {
			errs = append(errs, field.Invalid(path.Child("keys").Index(i).Child("field"), key.Field,
				"must be names joined by dots; none is empty, and only a wildcard's $** begins with $"))
		}
	}
	if hashed > 1 {
		errs = append(errs, field.Invalid(path.Child("keys"), keyPattern(index), "an index has at most one Hashed key"))
	}
	if keyPattern(index) == "_id_1" {
		errs = append(errs, field.Invalid(path.Child("keys"), keyPattern(index),
			"every collection has this index; leave it out"))
	}
	if wildcard && (len(index.Properties) > 0 || index.ExpireAfterSeconds != nil || hashed > 0) {
		errs = append(errs, field.Invalid(path.Child("keys"), keyPattern(index),
			"a wildcard index cannot be hashed, Unique, Sparse or a TTL index"))
	}
	return append(errs, validateTTL(collection, index, path)...)
}

func validateTTL(collection *benchv1alpha1.Collection, index *benchv1alpha1.Index, path *field.Path) field.ErrorList {
	if index.ExpireAfterSeconds == nil {
		return nil
	}
	ttl := path.Child("expireAfterSeconds")
	options := ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{})
	if options.Capped != nil {
		return field.ErrorList{field.Forbidden(ttl, "documents of a capped collection cannot expire")}
	}
	if len(index.Keys) == 1 && index.Keys[0].Field == idField {
		return field.ErrorList{field.Forbidden(ttl, "an index on _id cannot be a TTL index")}
	}
	return nil
}

func badPath(path string) bool {
	names := strings.Split(path, ".")
	for i, name := range names {
		if i == len(names)-1 && name == "$**" {
			continue
		}
		if name == "" || strings.HasPrefix(name, "$") {
			return true
		}
	}
	return false
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
