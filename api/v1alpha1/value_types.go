package v1alpha1

// DecimalSettings are the settings of a Decimal128: numbers with a fixed number of digits after the point, such as
// prices.
type DecimalSettings struct {
	// min is the smallest value, as a decimal number in a string. Default "0". Digits beyond scale are not possible.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?$`
	Min *string `json:"min,omitempty"`

	// max is the largest value, as a decimal number in a string. Default "1000". Digits beyond scale are not possible, and
	// min and max have at most 18 digits, those after the point included.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?$`
	Max *string `json:"max,omitempty"`

	// scale is the number of digits after the point. Default 2, limits 0 to 18.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=18
	Scale *int32 `json:"scale,omitempty"`
}

// GeoSettings are the settings of a GeoPoint, which is a GeoJSON point, {type: "Point", coordinates: [longitude,
// latitude]}: where it lies, in degrees with at most 7 digits after the point.
type GeoSettings struct {
	// minLongitude is the western end of the box that points lie in. Default "-180", limits -180 to 180.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^-?[0-9]{1,3}(\.[0-9]{1,7})?$`
	MinLongitude *string `json:"minLongitude,omitempty"`

	// maxLongitude is the eastern end of the box. Default "180", limits -180 to 180.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^-?[0-9]{1,3}(\.[0-9]{1,7})?$`
	MaxLongitude *string `json:"maxLongitude,omitempty"`

	// minLatitude is the southern end of the box. Default "-90", limits -90 to 90.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^-?[0-9]{1,3}(\.[0-9]{1,7})?$`
	MinLatitude *string `json:"minLatitude,omitempty"`

	// maxLatitude is the northern end of the box. Default "90", limits -90 to 90.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern=`^-?[0-9]{1,3}(\.[0-9]{1,7})?$`
	MaxLatitude *string `json:"maxLatitude,omitempty"`

	// clusters is the number of places that points gather around, as people do in cities; the places lie anywhere in the
	// box, as the seed has them. The distribution says how many points each place gets. Default 0, which spreads points
	// evenly over longitudes and latitudes; limits 0 to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	Clusters *int32 `json:"clusters,omitempty"`

	// clusterRadiusMeters is how far from its place a point may lie in each of the four directions; nearer is likelier.
	// Default 10000, limits 1 to 1000000. Only with clusters.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	ClusterRadiusMeters *int32 `json:"clusterRadiusMeters,omitempty"`
}

// Language is what words are of.
// +kubebuilder:validation:Enum=English;German;French;Russian;Greek;Chinese;Mixed
type Language string

// The languages of words.
const (
	LanguageEnglish Language = "English"
	LanguageGerman  Language = "German"
	LanguageFrench  Language = "French"
	LanguageRussian Language = "Russian"
	LanguageGreek   Language = "Greek"
	LanguageChinese Language = "Chinese"
	// LanguageMixed takes one of the others for each value.
	LanguageMixed Language = "Mixed"
)

// WordsSettings are the settings of Words: sentences whose words come as often as they do in texts, by Zipf's law, so
// that the values compress as texts do.
type WordsSettings struct {
	// minWords is the smallest number of words. Default: the same as maxWords, or 5 if neither is set. Limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MinWords *int32 `json:"minWords,omitempty"`

	// maxWords is the largest number of words. Default: the same as minWords, or 20 if neither is set. Limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MaxWords *int32 `json:"maxWords,omitempty"`

	// language of the words: English, German, French, Russian, Greek, Chinese, or Mixed, which is another for each value.
	// Default English.
	// +optional
	Language *Language `json:"language,omitempty"`
}

// FakeKind is what a value of type Fake looks like.
// +kubebuilder:validation:Enum=Name;FirstName;LastName;Email;Phone;Company;Address;City;Country;URL;UserAgent;IPv4
type FakeKind string

// The kinds of values of type Fake.
const (
	FakeName      FakeKind = "Name"
	FakeFirstName FakeKind = "FirstName"
	FakeLastName  FakeKind = "LastName"
	FakeEmail     FakeKind = "Email"
	FakePhone     FakeKind = "Phone"
	FakeCompany   FakeKind = "Company"
	FakeAddress   FakeKind = "Address"
	FakeCity      FakeKind = "City"
	FakeCountry   FakeKind = "Country"
	FakeURL       FakeKind = "URL"
	FakeUserAgent FakeKind = "UserAgent"
	FakeIPv4      FakeKind = "IPv4"
)

// ReferenceSettings are the settings of a Reference: a value that a document of another collection has, such as the _id
// of the customer that an order is of. Which document is drawn by the distribution, or with documentsPerKey counted.
type ReferenceSettings struct {
	// collection of the dataset that the value is of, with a documentCount of at least 1.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Collection string `json:"collection,omitempty"`

	// field of that collection whose value is taken: one value at the top of its documents, and no Reference itself.
	// Default "_id".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field *string `json:"field,omitempty"`

	// documentsPerKey gives each document of that collection this many that refer to it, one after another: the first so
	// many refer to record 0, the next to record 1, and after the last record it begins again. Not with a distribution.
	// Unset: the record is drawn. Limits 1 to 1000000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	DocumentsPerKey *int32 `json:"documentsPerKey,omitempty"`

	// orphanPercent is the share of values that no loaded document of the other collection has. Only of a field whose
	// values do not repeat: of type ObjectID, Sequence, Serial or UUID, or a String or Binary of at least 16 random bytes.
	// Default 0, limits 0 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	OrphanPercent *int32 `json:"orphanPercent,omitempty"`
}

// VectorForm is how a vector is stored.
// +kubebuilder:validation:Enum=Array;Float32
type VectorForm string

const (
	// VectorArray is an array of doubles, which any server and its expressions read.
	VectorArray VectorForm = "Array"
	// VectorFloat32 is a BSON vector of 32-bit numbers (binary subtype 9), a third as large.
	VectorFloat32 VectorForm = "Float32"
)

// VectorSettings are the settings of a Vector: numbers from -2 to 2, as the embedding of a text or a picture is. Its
// length is not 1: compare by cosine or euclidean distance.
type VectorSettings struct {
	// dimensions is the number of elements. Limits 1 to 4096.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Dimensions int32 `json:"dimensions,omitempty"`

	// clusters is the number of points that vectors gather around, as those of texts on one subject do: the same ones for
	// all vectors of a run with as many dimensions and clusters, also those of parameters. Default 100, limits 0, for
	// vectors that point everywhere, to 10000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	Clusters *int32 `json:"clusters,omitempty"`

	// spreadPercent is how far from the point of its cluster a vector may lie in each dimension, in percent of how far the
	// points lie from 0. Default 50, limits 1 to 100. Only with clusters.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	SpreadPercent *int32 `json:"spreadPercent,omitempty"`

	// form is how vectors are stored: Array or Float32. Default Array.
	// +optional
	Form *VectorForm `json:"form,omitempty"`
}
