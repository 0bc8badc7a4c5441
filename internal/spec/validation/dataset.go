package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	idField = "_id"
	// markCollection marks the database of a dataset.
	markCollection = "mongobench.dataset"
)

func validateDataset(found *product.Findings, dataset *benchv1alpha1.Dataset, path *field.Path) {
	for i := range dataset.Collections {
		validateCollection(found, &dataset.Collections[i], path.Child("collections").Index(i))
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
			"values of _id must not repeat; use ObjectID, Sequence, Serial or UUID, an Int or Long with distribution "+
				"Sequential over at least documentCount values, or a String or Binary with a minLength of 16 and "+
				"compressiblePercent unset")
	}
	validateNames(found, names, fields)
	validateOptionalKeys(found, collection, path)
	size := documentSize(collection.Fields).largest
	found.Refuse(size > maxDocumentBytes, fields, fmt.Sprintf("%d bytes", size),
		"a document with the largest values would be over the 16 MiB that a BSON document may have")
	found.Refuse(collection.Name == markCollection, path.Child("name"), collection.Name,
		"in this collection the load generator keeps what is known of the dataset; choose another name")
	options := ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{})
	product.WantCompressor(found, options.Compressor, path.Child("options", "compressor"))
	validateCapped(found, collection, path)
	validateIndexes(found, collection, path.Child("indexes"))
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
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return *declared.Bytes.MinLength >= leastRandomBytes && *declared.Bytes.CompressiblePercent == 0
	default:
		return false
	}
}

// spans is whether there are at least count integers from least to largest; the difference of the two may not fit.
func spans(least, largest, count int64) bool {
	return largest >= least && uint64(largest-least) >= uint64(max(count, 1)-1)
}

// validateCapped refuses a capped collection that would overwrite its first documents while it is loaded.
func validateCapped(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	options := ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{})
	documents := ptr.Deref(collection.DocumentCount, 0)
	if options.Capped == nil || documents == 0 {
		return
	}
	capped := path.Child("options", "capped")
	if limit := options.Capped.MaxDocuments; limit != nil && documents > *limit {
		found.Refuse(true, capped.Child("maxDocuments"), *limit,
			"must be at least documentCount, %d: the collection would lose documents while it is loaded", documents)
		return
	}
	least := documentSize(collection.Fields).smallest
	found.Refuse(least > options.Capped.SizeBytes/documents, capped.Child("sizeBytes"), options.Capped.SizeBytes,
		"must have room for documentCount, %d, documents of at least %d bytes: the collection would lose documents "+
			"while it is loaded", documents, least)
}

func validateIndexes(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	patterns, names := make([]string, 0, len(collection.Indexes)), make([]string, 0, len(collection.Indexes))
	for i := range collection.Indexes {
		index, indexPath := &collection.Indexes[i], path.Index(i)
		validateIndex(found, collection, index, indexPath)
		pattern := keyPattern(index)
		if slices.Contains(patterns, pattern) {
			found.Add(field.Duplicate(indexPath.Child("keys"), pattern))
		}
		name := cmp.Or(ptr.Deref(index.Name, ""), pattern)
		if slices.Contains(names, name) {
			found.Add(field.Duplicate(indexPath.Child("name"), name))
		}
		patterns, names = append(patterns, pattern), append(names, name)
	}
}

// keyPattern is the name that the server derives for an index, which two indexes with the same keys share.
func keyPattern(index *benchv1alpha1.Index) string {
	return planv1.Index{Keys: spec.CompileKey(index.Keys)}.ServerName()
}

// validateIndex refuses what the server would refuse, where every version from 4.4 on agrees.
func validateIndex(
	found *product.Findings, collection *benchv1alpha1.Collection, index *benchv1alpha1.Index, path *field.Path,
) {
	keys, pattern := path.Child("keys"), keyPattern(index)
	hashed, wildcard := 0, false
	for i, key := range index.Keys {
		if *key.Type == benchv1alpha1.IndexKeyHashed {
			hashed++
		}
		wildcard = wildcard || key.Field == "$**" || strings.HasSuffix(key.Field, ".$**")
		found.Refuse(badPath(key.Field), keys.Index(i).Child("field"), key.Field,
			"must be names joined by dots; none is empty, and only a wildcard's $** begins with $")
	}
	found.Refuse(hashed > 1, keys, pattern, "an index has at most one Hashed key")
	found.Refuse(pattern == "_id_1", keys, pattern, "every collection has this index; leave it out")
	found.Refuse(wildcard && (len(index.Properties) > 0 || index.ExpireAfterSeconds != nil || hashed > 0), keys, pattern,
		"a wildcard index cannot be hashed, Unique, Sparse or a TTL index")
	if index.ExpireAfterSeconds == nil {
		return
	}
	capped, ttl := capped(collection), path.Child("expireAfterSeconds")
	found.Forbid(capped, ttl, "documents of a capped collection cannot expire")
	found.Forbid(!capped && len(index.Keys) == 1 && index.Keys[0].Field == idField, ttl,
		"an index on _id cannot be a TTL index")
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
