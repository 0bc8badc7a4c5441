package validation

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func validateIndexes(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	patterns, names := make([]string, 0, len(collection.Indexes)), make([]string, 0, len(collection.Indexes))
	texts := 0
	for i := range collection.Indexes {
		index, indexPath := &collection.Indexes[i], path.Index(i)
		indexCheck{found, collection, index, indexPath}.run()
		// Indexes of the same keys may be of other documents, or compare texts by other rules.
		pattern, apart := keyPattern(index), index.PartialFilter != "" || index.Collation != nil
		if !apart && slices.Contains(patterns, pattern) {
			found.Add(field.Duplicate(indexPath.Child("keys"), pattern))
		}
		name := indexName(index)
		if slices.Contains(names, name) {
			found.Add(field.Duplicate(indexPath.Child("name"), name))
		}
		if !apart {
			patterns = append(patterns, pattern)
		}
		names = append(names, name)
		if hasKey(index, benchv1alpha1.IndexKeyText) {
			texts++
			found.Refuse(texts > 1, indexPath.Child("keys"), pattern,
				"a collection has at most one index with Text keys, which may be of several fields")
		}
	}
}

// keyPattern is the name that the server derives for an index, which two indexes with the same keys share.
func keyPattern(index *benchv1alpha1.Index) string {
	return planv1.Index{Keys: spec.CompileKey(index.Keys)}.ServerName()
}

// indexName is the name that an index has on a server.
func indexName(index *benchv1alpha1.Index) string {
	return cmp.Or(ptr.Deref(index.Name, ""), keyPattern(index))
}

func hasKey(index *benchv1alpha1.Index, kind benchv1alpha1.IndexKeyType) bool {
	return slices.ContainsFunc(index.Keys, func(key benchv1alpha1.IndexKey) bool { return *key.Type == kind })
}

// indexCheck refuses what the server would refuse, where every version from 4.4 on agrees.
type indexCheck struct {
	*product.Findings
	collection *benchv1alpha1.Collection
	index      *benchv1alpha1.Index
	path       *field.Path
}

func (c indexCheck) run() {
	c.keys()
	c.wildcard()
	c.expiry()
	c.documents()
	c.collation()
	c.series()
}

func (c indexCheck) keys() {
	keys, pattern, hashed := c.path.Child("keys"), keyPattern(c.index), 0
	for i, key := range c.index.Keys {
		if *key.Type == benchv1alpha1.IndexKeyHashed {
			hashed++
		}
		c.Refuse(badPath(key.Field), keys.Index(i).Child("field"), key.Field,
			"must be names joined by dots; none is empty, and only a wildcard's $** begins with $")
	}
	c.Refuse(hashed > 1, keys, pattern, "an index has at most one Hashed key")
	c.Refuse(pattern == "_id_1", keys, pattern, "every collection has this index; leave it out")
	plane := hasKey(c.index, benchv1alpha1.IndexKeyPlane2D)
	c.Refuse(plane && *c.index.Keys[0].Type != benchv1alpha1.IndexKeyPlane2D, keys, pattern,
		"a Plane2D key is the first of its index")
}

// wildcard refuses what an index on all fields is not. One with a Text key on $** is a text index.
func (c indexCheck) wildcard() {
	keys, pattern := c.path.Child("keys"), keyPattern(c.index)
	wildcard := slices.ContainsFunc(c.index.Keys, func(key benchv1alpha1.IndexKey) bool {
		return isWildcard(key.Field) && *key.Type != benchv1alpha1.IndexKeyText
	})
	other := slices.ContainsFunc(c.index.Properties, func(p benchv1alpha1.IndexProperty) bool {
		return p != benchv1alpha1.IndexHidden
	})
	hashed := hasKey(c.index, benchv1alpha1.IndexKeyHashed)
	c.Refuse(wildcard && (other || c.index.ExpireAfterSeconds != nil || hashed), keys, pattern,
		"a wildcard index cannot be hashed, Unique, Sparse or a TTL index")
	whole := slices.ContainsFunc(c.index.Keys, func(key benchv1alpha1.IndexKey) bool { return key.Field == "$**" })
	c.Forbid(c.index.WildcardProjection != "" && (!wildcard || !whole), c.path.Child("wildcardProjection"),
		`is for a wildcard index on "$**"`)
}

func (c indexCheck) expiry() {
	if c.index.ExpireAfterSeconds == nil {
		return
	}
	capped, ttl := capped(c.collection), c.path.Child("expireAfterSeconds")
	c.Forbid(capped, ttl, "documents of a capped collection cannot expire")
	c.Forbid(!capped && len(c.index.Keys) == 1 && c.index.Keys[0].Field == idField, ttl,
		"an index on _id cannot be a TTL index")
}

// partialFilter is the setting of an index that is a filter.
const partialFilter operation.Setting = "partialFilter"

// documents checks what is written as documents.
func (c indexCheck) documents() {
	for _, one := range []written{
		{partialFilter, c.index.PartialFilter, object, maxDocument},
		{"wildcardProjection", c.index.WildcardProjection, object, maxDocument},
	} {
		if one.text != "" {
			validateWritten(c.Findings, one, c.path)
		}
	}
	sparse := slices.Contains(c.index.Properties, benchv1alpha1.IndexSparse)
	c.Forbid(sparse && c.index.PartialFilter != "", c.path.Child("partialFilter"),
		"an index cannot be Sparse as well; {field: {$exists: true}} is what Sparse means")
}

// collation refuses words and points of a plane that would be compared other than by their bytes.
func (c indexCheck) collation() {
	collation := c.index.Collation
	if collation == nil {
		collation = optionsOf(c.collection).Collation
	}
	bytes := hasKey(c.index, benchv1alpha1.IndexKeyText) || hasKey(c.index, benchv1alpha1.IndexKeyPlane2D)
	c.Forbid(bytes && !isSimple(collation), c.path.Child("collation"),
		"an index with a Text or Plane2D key knows no collation; set its locale to simple")
}

// series refuses indexes that a time series does not have.
func (c indexCheck) series() {
	if optionsOf(c.collection).TimeSeries == nil {
		return
	}
	const onSeries = "a time-series collection has no such index"
	for i, property := range c.index.Properties {
		c.Refuse(property == benchv1alpha1.IndexUnique, c.path.Child("properties").Index(i), property, onSeries)
	}
	for i, key := range c.index.Keys {
		kind := *key.Type
		c.Refuse(kind == benchv1alpha1.IndexKeyText || kind == benchv1alpha1.IndexKeyPlane2D,
			c.path.Child("keys").Index(i).Child("type"), kind, onSeries)
		c.Refuse(isWildcard(key.Field), c.path.Child("keys").Index(i).Child("field"), key.Field, onSeries)
	}
	c.Forbid(c.index.ExpireAfterSeconds != nil, c.path.Child("expireAfterSeconds"),
		onSeries+"; set options.timeSeries.expireAfterSeconds")
}

func isWildcard(path string) bool { return path == "$**" || strings.HasSuffix(path, ".$**") }

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
