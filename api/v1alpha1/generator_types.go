package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GeneratorType is the kind of value that a generator produces: BSON's own types, and what looks like real data.
// +kubebuilder:validation:Enum=ObjectID;Sequence;Int;Long;Double;Bool;Date;String;Binary;UUID;Choice;Serial;Document;Array;Decimal128;Timestamp;Regex;GeoPoint;Words;Fake;Reference;FromFile;Vector
type GeneratorType string

// The kinds of values that a generator can produce.
const (
	GeneratorObjectID  GeneratorType = "ObjectID"
	GeneratorSequence  GeneratorType = "Sequence"
	GeneratorInt       GeneratorType = "Int"
	GeneratorLong      GeneratorType = "Long"
	GeneratorDouble    GeneratorType = "Double"
	GeneratorBool      GeneratorType = "Bool"
	GeneratorDate      GeneratorType = "Date"
	GeneratorString    GeneratorType = "String"
	GeneratorBinary    GeneratorType = "Binary"
	GeneratorUUID      GeneratorType = "UUID"
	GeneratorChoice    GeneratorType = "Choice"
	GeneratorSerial    GeneratorType = "Serial"
	GeneratorDocument  GeneratorType = "Document"
	GeneratorArray     GeneratorType = "Array"
	GeneratorDecimal   GeneratorType = "Decimal128"
	GeneratorTimestamp GeneratorType = "Timestamp"
	GeneratorRegex     GeneratorType = "Regex"
	GeneratorGeoPoint  GeneratorType = "GeoPoint"
	GeneratorWords     GeneratorType = "Words"
	GeneratorFake      GeneratorType = "Fake"
	GeneratorReference GeneratorType = "Reference"
	GeneratorFromFile  GeneratorType = "FromFile"
	GeneratorVector    GeneratorType = "Vector"
)

// Generator declares how a value is generated. Only the settings of its type may be set.
//
// +kubebuilder:validation:XValidation:rule="!has(self.sequence) || self.type == 'Sequence'",message="sequence may be set only with type Sequence",fieldPath=".sequence"
// +kubebuilder:validation:XValidation:rule="!has(self.serial) || self.type == 'Serial'",message="serial may be set only with type Serial",fieldPath=".serial"
type Generator struct {
	// type of the value: ObjectID, Sequence, Int, Long, Double, Bool, Date, String, Binary, UUID, Choice, Serial,
	// Document, Array, Decimal128, Timestamp, Regex, GeoPoint, Words, Fake, Reference, FromFile or Vector.
	// +required
	Type GeneratorType `json:"type,omitempty"`

	// seed of this value, added to the run's seed. Two fields of a collection with the same type, settings and seed have
	// the same value. Unset: derived from the names of collection and field, so fields are independent of one another.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Seed *int64 `json:"seed,omitempty"`

	// nullPercent is the share of the values that are null instead. Default 0, limits 0 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	NullPercent *int32 `json:"nullPercent,omitempty"`

	// distribution from which the value is drawn, over the range given by the other settings; for String, Binary, Regex
	// and Words over the lengths, for GeoPoint and Vector over the clusters, for Reference over the records, for FromFile
	// over the documents of the file. Only for these and for Int, Long, Double, Decimal128, Date and Timestamp. Unset:
	// Uniform.
	// +optional
	Distribution *Distribution `json:"distribution,omitempty"`

	// sequence has the settings of type Sequence: a 64-bit integer that grows with the record number.
	// +optional
	Sequence *SequenceSettings `json:"sequence,omitempty"`

	// serial has the settings of type Serial: text that contains the record number.
	// +optional
	Serial *SerialSettings `json:"serial,omitempty"`

	// refersTo has the settings of type Reference, and is required with it.
	// +optional
	RefersTo *ReferenceSettings `json:"refersTo,omitempty"`

	ValueSettings `json:",inline"`
}

// ValueSettings are the settings that generators and parameters have in common, each for its own types.
//
// +kubebuilder:validation:XValidation:rule="!has(self.integer) || self.type == 'Int' || self.type == 'Long'",message="integer may be set only with type Int or Long",fieldPath=".integer"
// +kubebuilder:validation:XValidation:rule="!has(self.double) || self.type == 'Double'",message="double may be set only with type Double",fieldPath=".double"
// +kubebuilder:validation:XValidation:rule="!has(self.bool) || self.type == 'Bool'",message="bool may be set only with type Bool",fieldPath=".bool"
// +kubebuilder:validation:XValidation:rule="!has(self.date) || self.type == 'Date' || self.type == 'Timestamp'",message="date may be set only with type Date or Timestamp",fieldPath=".date"
// +kubebuilder:validation:XValidation:rule="!has(self.bytes) || self.type == 'String' || self.type == 'Binary' || self.type == 'Regex'",message="bytes may be set only with type String, Binary or Regex",fieldPath=".bytes"
// +kubebuilder:validation:XValidation:rule="self.type == 'Choice' ? has(self.choice) : !has(self.choice)",message="choice is required with type Choice and forbidden with any other",fieldPath=".choice"
type ValueSettings struct {
	// integer has the settings of types Int (32 bits) and Long (64 bits).
	// +optional
	Integer *IntegerSettings `json:"integer,omitempty"`

	// double has the settings of type Double.
	// +optional
	Double *DoubleSettings `json:"double,omitempty"`

	// bool has the settings of type Bool.
	// +optional
	Bool *BoolSettings `json:"bool,omitempty"`

	// date has the settings of types Date and Timestamp.
	// +optional
	Date *DateSettings `json:"date,omitempty"`

	// bytes has the settings of types String, Binary and Regex.
	// +optional
	Bytes *BytesSettings `json:"bytes,omitempty"`

	// choice has the settings of type Choice, and is required with it.
	// +optional
	Choice *ChoiceSettings `json:"choice,omitempty"`

	// decimal has the settings of type Decimal128, and may be set only with it.
	// +optional
	Decimal *DecimalSettings `json:"decimal,omitempty"`

	// geo has the settings of type GeoPoint, and may be set only with it.
	// +optional
	Geo *GeoSettings `json:"geo,omitempty"`

	// words has the settings of type Words, and may be set only with it.
	// +optional
	Words *WordsSettings `json:"words,omitempty"`

	// fake is what a value of type Fake looks like, and is required with it: Name, FirstName, LastName, Email, Phone,
	// Company, Address, City, Country, URL, UserAgent or IPv4. Those of fields with the same seed belong together: a name
	// and the mail address of the same person. Nobody's: mail addresses and URLs are of the domains example.com,
	// example.net and example.org, and telephone numbers of the exchange 555.
	// +optional
	Fake *FakeKind `json:"fake,omitempty"`

	// fromFile has the settings of type FromFile, and is required with it. Values of the same seed, file and distribution
	// are of the same document of the file: a name and the mail address beside it. With distribution Sequential they are
	// taken one after another, and from the start again.
	// +optional
	FromFile *FromFileSettings `json:"fromFile,omitempty"`

	// vector has the settings of type Vector, and is required with it.
	// +optional
	Vector *VectorSettings `json:"vector,omitempty"`
}

// SerialOrder says which number a Serial contains.
// +kubebuilder:validation:Enum=Ordered;Hashed
type SerialOrder string

const (
	// SerialOrdered uses the record number itself.
	SerialOrdered SerialOrder = "Ordered"
	// SerialHashed uses its 64-bit FNV hash, as YCSB does, so that consecutive records are not neighbours in the index.
	SerialHashed SerialOrder = "Hashed"
)

// SerialSettings are the settings of a Serial: a prefix and a number.
type SerialSettings struct {
	// prefix before the number, for example "user". Default "".
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Prefix *string `json:"prefix,omitempty"`

	// digits is the minimum number of digits; the number is padded with leading zeros. Default 1, limits 1 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Digits *int32 `json:"digits,omitempty"`

	// order of the values: Ordered, the record number itself, or Hashed. Default Ordered.
	// +optional
	Order *SerialOrder `json:"order,omitempty"`
}

// SequenceSettings are the settings of a Sequence: start + step × record number.
type SequenceSettings struct {
	// start is the value of record 0. Default 0.
	// +optional
	Start *int64 `json:"start,omitempty"`

	// step between records. Default 1; not 0.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self != 0",message="step must not be 0"
	Step *int64 `json:"step,omitempty"`
}

// IntegerSettings are the settings of an Int or Long.
//
// +kubebuilder:validation:XValidation:rule="(has(self.min) ? self.min : 0) <= (has(self.max) ? self.max : 2147483647)",message="min must be no more than max",fieldPath=".min"
type IntegerSettings struct {
	// min is the smallest value. Default 0.
	// +optional
	Min *int64 `json:"min,omitempty"`

	// max is the largest value. Default 2147483647. An Int must fit into 32 bits.
	// +optional
	Max *int64 `json:"max,omitempty"`
}

// DoubleSettings are the settings of a Double.
type DoubleSettings struct {
	// min is the smallest value, as a decimal number in a string. Default "0".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?$`
	Min *string `json:"min,omitempty"`

	// max is the exclusive upper bound, as a decimal number in a string. Default "1".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?$`
	Max *string `json:"max,omitempty"`
}

// BoolSettings are the settings of a Bool.
type BoolSettings struct {
	// truePercent is the share of true values. Default 50, limits 0 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	TruePercent *int32 `json:"truePercent,omitempty"`
}

// DateSettings are the settings of a Date, with millisecond resolution: from min to max, or around the instant at which
// the load begins. A Timestamp has seconds, of 1970 to 2106, and counts the milliseconds within them.
//
// +kubebuilder:validation:XValidation:rule="(has(self.minOffsetSeconds) || has(self.maxOffsetSeconds)) ? !has(self.min) && !has(self.max) : true",message="min and max are not possible with offsets",fieldPath=".minOffsetSeconds"
// +kubebuilder:validation:XValidation:rule="has(self.minOffsetSeconds) == has(self.maxOffsetSeconds)",message="minOffsetSeconds and maxOffsetSeconds are given together"
// +kubebuilder:validation:XValidation:rule="!has(self.minOffsetSeconds) || !has(self.maxOffsetSeconds) || self.minOffsetSeconds <= self.maxOffsetSeconds",message="minOffsetSeconds must be no more than maxOffsetSeconds",fieldPath=".minOffsetSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || self.min <= self.max",message="min must be no later than max",fieldPath=".min"
type DateSettings struct {
	// min is the earliest instant. Default 2020-01-01T00:00:00Z.
	// +optional
	Min *metav1.Time `json:"min,omitempty"`

	// max is the latest instant. Default 2030-01-01T00:00:00Z.
	// +optional
	Max *metav1.Time `json:"max,omitempty"`

	// minOffsetSeconds is the earliest instant, in seconds after the load began; negative is before it. The instant is
	// fixed once for a run, for parameters of operations too, and kept with the dataset; a dataset with such dates is
	// always loaded again. Together with maxOffsetSeconds, in place of min and max. Limits -3153600000 to 3153600000,
	// which is 100 years.
	// +optional
	// +kubebuilder:validation:Minimum=-3153600000
	// +kubebuilder:validation:Maximum=3153600000
	MinOffsetSeconds *int64 `json:"minOffsetSeconds,omitempty"`

	// maxOffsetSeconds is the latest instant, in seconds after the load began; negative is before it. Limits -3153600000
	// to 3153600000, which is 100 years.
	// +optional
	// +kubebuilder:validation:Minimum=-3153600000
	// +kubebuilder:validation:Maximum=3153600000
	MaxOffsetSeconds *int64 `json:"maxOffsetSeconds,omitempty"`
}

// FromLoad says whether the dates are around the instant at which the load begins.
func (d *DateSettings) FromLoad() bool {
	return d != nil && (d.MinOffsetSeconds != nil || d.MaxOffsetSeconds != nil)
}

// BytesSettings are the settings of a String (printable ASCII), of a Binary (any bytes), or of the pattern of a Regex
// (printable ASCII that stands for itself).
//
// +kubebuilder:validation:XValidation:rule="(has(self.minLength) ? self.minLength : (has(self.maxLength) ? self.maxLength : 16)) <= (has(self.maxLength) ? self.maxLength : 2147483647)",message="minLength must be no more than maxLength",fieldPath=".minLength"
type BytesSettings struct {
	// minLength in bytes. Default: the same as maxLength, or 16 if neither is set. Limits 0 to 16000000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=16000000
	MinLength *int32 `json:"minLength,omitempty"`

	// maxLength in bytes. Default: the same as minLength, or 16 if neither is set. Limits 1 to 16000000: a BSON document
	// has at most 16 MiB.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16000000
	MaxLength *int32 `json:"maxLength,omitempty"`

	// compressiblePercent is the share of each value that is one repeated byte; the rest is random: any bytes for a
	// Binary; letters, digits, - and _ for a String (6 bits per byte, which zlib and zstd compress to about 80 %). Default
	// 0, limits 0 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	CompressiblePercent *int32 `json:"compressiblePercent,omitempty"`
}

// ChoiceSettings are the settings of a Choice.
type ChoiceSettings struct {
	// values to choose from, with their weights. No value is given twice.
	// +required
	// +listType=map
	// +listMapKey=value
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Values []ChoiceValue `json:"values,omitempty"`
}

// ChoiceValue is one value of a Choice.
type ChoiceValue struct {
	// value is any value: red, 42, [1, 2], or a type of MongoDB Extended JSON such as {$date: "2026-01-01T00:00:00Z"}.
	// {$json: "..."} holds a string of Extended JSON and keeps the order of its keys; a null is {$json: "null"}. At most
	// 1024 characters.
	// +required
	Value Constant `json:"value,omitempty" patchStrategy:"replace"`

	// weight of this value. Default 1, limits 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`
}
