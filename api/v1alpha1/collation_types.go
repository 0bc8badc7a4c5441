package v1alpha1

// CaseFirst says which of two texts that differ in case alone comes first.
// +kubebuilder:validation:Enum=Upper;Lower;Off
type CaseFirst string

// The orders of upper and lower case; CaseFirstOff leaves it to the locale.
const (
	CaseFirstUpper CaseFirst = "Upper"
	CaseFirstLower CaseFirst = "Lower"
	CaseFirstOff   CaseFirst = "Off"
)

// Collation is how texts are compared: the rules of a language in place of the order of their bytes. It is MongoDB's
// collation document (https://www.mongodb.com/docs/manual/reference/collation/).
type Collation struct {
	// locale is the language whose rules are used, as "en" or "de@collation=phonebook"; "simple" compares bytes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_@=-]*$`
	Locale string `json:"locale,omitempty"`

	// strength is how fine the comparison is: 1 compares letters, 2 accents too, 3 case too, 4 punctuation too, 5 all.
	// Default 3, limits 1 to 5.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Strength *int32 `json:"strength,omitempty"`

	// caseLevel compares case with strength 1 or 2 as well: Enabled or Disabled. Default Disabled.
	// +optional
	CaseLevel *Switch `json:"caseLevel,omitempty"`

	// caseFirst says which case comes first where case is compared: Upper, Lower or Off. Default Off.
	// +optional
	CaseFirst *CaseFirst `json:"caseFirst,omitempty"`

	// numericOrdering compares digits as numbers, so that 10 comes after 2: Enabled or Disabled. Default Disabled.
	// +optional
	NumericOrdering *Switch `json:"numericOrdering,omitempty"`
}
