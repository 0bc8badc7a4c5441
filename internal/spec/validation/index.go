package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
