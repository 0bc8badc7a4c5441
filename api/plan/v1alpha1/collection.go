package v1alpha1

import (
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Collection is one collection of the dataset.
type Collection struct {
	Name string `json:"name"`
	// DocumentCount is how many documents the first Load writes, and GrowsTo how many there are at the last checkpoint of
	// a growth; 0 for a collection that does not grow.
	DocumentCount int64   `json:"documentCount"`
	GrowsTo       int64   `json:"growsTo,omitempty"`
	Fields        []Field `json:"fields"`
	// DocumentsFrom is the name of the one of the plan's DataFiles that the documents are in; empty: Fields make them.
	DocumentsFrom string `json:"documentsFrom,omitempty"`
	// Copies is how many collections like this one there are, the documents being dealt to them; 0 for one of its name.
	Copies  int64   `json:"copies,omitempty"`
	Indexes []Index `json:"indexes,omitempty"`
	// SearchIndexes are made after the load.
	SearchIndexes []SearchIndex `json:"searchIndexes,omitempty"`
	// CappedBytes and CappedDocuments are 0 for a collection without that limit.
	CappedBytes     int64 `json:"cappedBytes,omitempty"`
	CappedDocuments int64 `json:"cappedDocuments,omitempty"`
	// Sharding is nil for a collection that is not spread.
	Sharding *Sharding `json:"sharding,omitempty"`
	// Compressor is WiredTiger's name (none, snappy, zlib, zstd) or empty for the server's default.
	Compressor string `json:"compressor,omitempty"`
	// Type is WiredTiger's name for what the collection and its indexes are kept in, TypeLSM; empty for the server's
	// default, B-trees.
	Type string `json:"type,omitempty"`
	// Clustered, TimeSeries, Collation and Validator are nil for a collection without; PreAndPostImages keeps what
	// documents were before and after a change.
	Clustered        *ClusteredOptions  `json:"clustered,omitempty"`
	TimeSeries       *TimeSeriesOptions `json:"timeSeries,omitempty"`
	Collation        *Collation         `json:"collation,omitempty"`
	Validator        *Validator         `json:"validator,omitempty"`
	PreAndPostImages bool               `json:"preAndPostImages,omitempty"`
	// View is nil for a collection that holds documents. A view has nothing but its name besides.
	View *View `json:"view,omitempty"`
}

// Searched says whether the collection has search indexes.
func (c Collection) Searched() bool { return len(c.SearchIndexes) > 0 }

// Stored are the collections that hold documents: all but the views.
func (p Plan) Stored() []Collection {
	return slices.DeleteFunc(slices.Clone(p.Collections), func(c Collection) bool { return c.View != nil })
}

// SourceOf is the collection whose documents a collection of this name has: itself, or what it is a view on. Empty is
// none, as of views on each other.
func (p Plan) SourceOf(name string) string {
	for range p.Collections {
		i := slices.IndexFunc(p.Collections, func(c Collection) bool { return c.Name == name })
		switch {
		case i < 0:
			return ""
		case p.Collections[i].View == nil:
			return name
		}
		name = p.Collections[i].View.Source
	}
	return ""
}

// SimpleLocale of a collation compares bytes, as without one.
const SimpleLocale = "simple"

// TypeLSM keeps a collection in log-structured merge trees.
const TypeLSM = "lsm"

type (
	// ClusteredOptions is the run's own type.
	ClusteredOptions = benchv1alpha1.ClusteredOptions
	// TimeSeriesOptions is the run's own type.
	TimeSeriesOptions = benchv1alpha1.TimeSeriesOptions
	// Collation is the run's own type.
	Collation = benchv1alpha1.Collation
	// Validator is the run's own type, its filter a string of Extended JSON.
	Validator = benchv1alpha1.Validator
	// View is the run's own type, its pipeline a string of Extended JSON.
	View = benchv1alpha1.View
	// TextIndex is the run's own type.
	TextIndex = benchv1alpha1.TextIndex
	// SearchIndex is the run's own type, its definition a string of Extended JSON.
	SearchIndex = benchv1alpha1.SearchIndex
)

// Index is one index besides the one on _id.
type Index struct {
	// Name is empty for the name that the server would derive.
	Name   string     `json:"name,omitempty"`
	Keys   []IndexKey `json:"keys"`
	Unique bool       `json:"unique,omitempty"`
	Sparse bool       `json:"sparse,omitempty"`
	Hidden bool       `json:"hidden,omitempty"`
	// ExpireAfterSeconds is nil for an index that is no TTL index.
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`
	// PartialFilter and WildcardProjection are strings of Extended JSON, empty for an index without.
	PartialFilter      Document   `json:"partialFilter,omitempty"`
	WildcardProjection Document   `json:"wildcardProjection,omitempty"`
	Collation          *Collation `json:"collation,omitempty"`
	Text               *TextIndex `json:"text,omitempty"`
}

// ServerName is the name that the index has on a server: the declared one, or the one that MongoDB would derive.
func (i Index) ServerName() string {
	if i.Name != "" {
		return i.Name
	}
	parts := make([]string, 0, 2*len(i.Keys))
	for _, key := range i.Keys {
		parts = append(parts, key.Field, key.Order)
	}
	return strings.Join(parts, "_")
}

// Orders of keys that are no numbers, as the server writes them.
const (
	OrderHashed   = "hashed"
	OrderText     = "text"
	OrderSphere2D = "2dsphere"
	OrderPlane2D  = "2d"
)

// IndexKey is one key of an index; Order is 1, -1 or one of those above.
type IndexKey struct {
	Field string `json:"field"`
	Order string `json:"order"`
}
