package v1alpha1

// Expectation is how many documents an operation comes upon: that it returns, updates or deletes.
type Expectation struct {
	// MinDocuments and MaxDocuments bound them; a nil maximum does not.
	MinDocuments int64  `json:"minDocuments,omitempty"`
	MaxDocuments *int64 `json:"maxDocuments,omitempty"`
	// AllowedPercent is how many in a hundred of the operations may do otherwise.
	AllowedPercent int `json:"allowedPercent,omitempty"`
}

// Kept says whether a number of documents is as expected.
func (e *Expectation) Kept(documents int64) bool {
	return documents >= e.MinDocuments && (e.MaxDocuments == nil || documents <= *e.MaxDocuments)
}

// Check is a condition that is to hold each time that a part of a flow was carried out.
type Check struct {
	Name string `json:"name"`
	// Made is how often it was looked at, and Failed how often it did not hold.
	Made   int64 `json:"made"`
	Failed int64 `json:"failed"`
}
