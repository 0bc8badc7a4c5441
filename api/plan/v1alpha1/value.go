package v1alpha1

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TypeKey is the type of a parameter that is a value of a loaded document; every other type is a generator's.
const TypeKey = benchv1alpha1.GeneratorType(benchv1alpha1.ParameterKey)

// Value says how one value is made. Only what its type needs is set.
type Value struct {
	Type benchv1alpha1.GeneratorType `json:"type"`
	// Seed is added to the plan's seed; values with equal type, settings and seed are equal.
	Seed         uint64       `json:"seed"`
	Distribution Distribution `json:"distribution,omitzero"`

	// Start and Step of a Sequence.
	Start int64 `json:"start,omitempty"`
	Step  int64 `json:"step,omitempty"`
	// Min and Max, both inclusive: of an Int or Long, of a Date in milliseconds since 1970, and of the length in bytes
	// of a String or Binary, and of the number of items of an Array.
	Min int64 `json:"min,omitempty"`
	Max int64 `json:"max,omitempty"`
	// FromLoad has Min and Max of a Date count from the instant at which the load begins, and not from 1970. That instant
	// is kept in the mark of the dataset; see Plan.Dated.
	FromLoad bool `json:"fromLoad,omitempty"`
	// MinDouble (inclusive) and MaxDouble (exclusive) of a Double.
	MinDouble float64 `json:"minDouble,omitempty"`
	MaxDouble float64 `json:"maxDouble,omitempty"`
	// TruePercent of a Bool.
	TruePercent int `json:"truePercent,omitempty"`
	// CompressiblePercent of a String or Binary.
	CompressiblePercent int `json:"compressiblePercent,omitempty"`
	// Choices of a Choice.
	Choices []Choice `json:"choices,omitempty"`
	// Fields of a Document.
	Fields []Field `json:"fields,omitempty"`
	// Element of an Array.
	Element *Value `json:"element,omitempty"`
	// Prefix of a Serial comes before the number, which is written with at least Digits digits. With Hashed the number is
	// the 64-bit FNV hash of the record number, as YCSB makes it.
	Prefix string `json:"prefix,omitempty"`
	Digits int    `json:"digits,omitempty"`
	Hashed bool   `json:"hashed,omitempty"`
	// KeyField is the field of the drawn document, and KeyRangePercent the share of the record numbers that is drawn
	// from; both of a Key.
	KeyField        string `json:"keyField,omitempty"`
	KeyRangePercent int    `json:"keyRangePercent,omitempty"`
	// PresencePercent of the documents have the field; 0 stands for all. Of those values NullPercent are null.
	PresencePercent int `json:"presencePercent,omitempty"`
	NullPercent     int `json:"nullPercent,omitempty"`
	// Scale is the number of digits after the point of a Decimal128, whose Min and Max are in units of the last of them.
	Scale int `json:"scale,omitempty"`
	// Geo is where a GeoPoint lies.
	Geo *Geo `json:"geo,omitempty"`
	// Vector is what a Vector looks like.
	Vector *Vector `json:"vector,omitempty"`
	// Language of Words, whose Min and Max are numbers of words.
	Language benchv1alpha1.Language `json:"language,omitempty"`
	// Fake is what a Fake looks like.
	Fake benchv1alpha1.FakeKind `json:"fake,omitempty"`
	// FromFile says where the value of a FromFile is.
	FromFile *FromFile `json:"fromFile,omitempty"`
	// Reference says whose value a Reference is.
	Reference *Reference `json:"reference,omitempty"`
}

// Geo is a box, and the places in it that points gather around. Angles are in ten-millionths of a degree.
type Geo struct {
	West  int64 `json:"west"`
	East  int64 `json:"east"`
	South int64 `json:"south"`
	North int64 `json:"north"`
	// Clusters is 0 for points that are spread evenly.
	Clusters     int64 `json:"clusters,omitempty"`
	RadiusMeters int64 `json:"radiusMeters,omitempty"`
}

// Vector is a list of numbers, near the center of one of some clusters.
type Vector struct {
	Dimensions int64 `json:"dimensions"`
	// Clusters is 0 for vectors that point everywhere.
	Clusters int64 `json:"clusters,omitempty"`
	// SpreadPercent is how far an element may be from that of the center, in percent of how far that may be from 0.
	SpreadPercent int64 `json:"spreadPercent,omitempty"`
	// Float32 makes it a BSON vector of 32-bit numbers; otherwise it is an array of doubles.
	Float32 bool `json:"float32,omitempty"`
}

// FromFile is a value of the documents of one of the plan's DataFiles.
type FromFile struct {
	File  string `json:"file"`
	Field string `json:"field"`
}

// Reference is a value of another collection's documents.
type Reference struct {
	Collection string `json:"collection"`
	Field      string `json:"field"`
	// Documents of that collection are loaded at first.
	Documents int64 `json:"documents"`
	// Of is the value that those documents have.
	Of Value `json:"of"`
	// DocumentsPerKey is 0 where the record is drawn.
	DocumentsPerKey int64 `json:"documentsPerKey,omitempty"`
	OrphanPercent   int   `json:"orphanPercent,omitempty"`
}

// Choice is one value of a Choice in Extended JSON, with its weight.
type Choice struct {
	Value  string `json:"value"`
	Weight *int32 `json:"weight,omitempty"`
}

// Field is a value with a name. A name with dots makes nested documents.
type Field struct {
	Name string `json:"name"`
	Value
}

// Distribution says how values of a range are drawn; the zero value is Uniform.
type Distribution struct {
	// Type is Uniform, Zipfian, ScrambledZipfian, Latest, HotSpot, Exponential, Sequential or NURand; empty means Uniform.
	Type string `json:"type,omitempty"`
	// Theta of a Zipfian, ScrambledZipfian or Latest, such as 0.99.
	Theta float64 `json:"theta,omitempty"`
	// HotRange and HotDraws of a HotSpot, as shares of 1; of an Exponential the share HotDraws of the draws falls on the
	// first share HotRange of the range.
	HotRange float64 `json:"hotRange,omitempty"`
	HotDraws float64 `json:"hotDraws,omitempty"`
	// A and C are the constants of a NURand.
	A int64 `json:"a,omitempty"`
	C int64 `json:"c,omitempty"`
}
