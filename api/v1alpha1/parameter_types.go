package v1alpha1

// ParameterType is the kind of value of a parameter.
// +kubebuilder:validation:Enum=Key;ObjectID;Int;Long;Double;Bool;Date;String;Binary;UUID;Choice;Decimal128;Timestamp;Regex;GeoPoint;Words;Fake;FromFile;Vector
type ParameterType string

// ParameterKey is the type of a parameter that takes a value of a loaded document; every other type is the
// GeneratorType of the same name.
const ParameterKey ParameterType = "Key"

// Parameter declares a value that is drawn for every operation. Only the settings of its type may be set.
//
// +kubebuilder:validation:XValidation:rule="!has(self.key) || self.type == 'Key'",message="key may be set only with type Key",fieldPath=".key"
// +kubebuilder:validation:XValidation:rule="!has(self.sameRecordAs) || self.type == 'Key' && !has(self.distribution) && !(has(self.key) && has(self.key.rangePercent))",message="sameRecordAs may be set only with type Key, and the record is drawn by the other parameter: neither distribution nor key.rangePercent may be set",fieldPath=".sameRecordAs"
// +kubebuilder:validation:XValidation:rule="!has(self.plusParameter) || self.type == 'Int' || self.type == 'Long' || self.type == 'Double' || self.type == 'Date'",message="plusParameter may be set only with type Int, Long, Double or Date",fieldPath=".plusParameter"
type Parameter struct {
	// name that {$param: name} refers to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	Name string `json:"name,omitempty"`

	// type of the value: Key, which draws a loaded document and takes one of its values, or a kind of generated value.
	// +required
	Type ParameterType `json:"type,omitempty"`

	// distribution to draw from: with Key, over the record numbers of the loaded documents. For the other types as for
	// fields. Unset: Uniform.
	// +optional
	Distribution *Distribution `json:"distribution,omitempty"`

	// key has the settings of type Key.
	// +optional
	Key *KeySettings `json:"key,omitempty"`

	// sameRecordAs names an earlier parameter of type Key: this one takes its field from the same document instead of
	// drawing another. Unset: a document is drawn.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	SameRecordAs *string `json:"sameRecordAs,omitempty"`

	// plusParameter names an earlier parameter whose value is added to the drawn one, so that the two are the ends of a
	// range. It has the same type, Int, Long, Double or Date (in milliseconds since 1970), or is a Key whose field has.
	// Unset: nothing is added.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	PlusParameter *string `json:"plusParameter,omitempty"`

	ValueSettings `json:",inline"`
}

// KeySettings are the settings of a parameter of type Key.
type KeySettings struct {
	// field of the drawn document whose value the parameter takes, top-level and of a scalar type. Default "_id".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field *string `json:"field,omitempty"`

	// rangePercent limits the draw to the first part of the record numbers, a hot range. Default 100, limits 1 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	RangePercent *int32 `json:"rangePercent,omitempty"`
}

// RecordSettings say which loaded document the {$key: field} of an operation are fields of.
type RecordSettings struct {
	// distribution to draw from, over the record numbers of the loaded documents. Unset: Uniform.
	// +optional
	Distribution *Distribution `json:"distribution,omitempty"`

	// rangePercent limits the draw to the first part of the record numbers, a hot range. Default 100, limits 1 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	RangePercent *int32 `json:"rangePercent,omitempty"`
}
