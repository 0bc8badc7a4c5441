package v1alpha1

// RequestOptions are what a request may ask for and seldom does.
type RequestOptions struct {
	// hint is the index to use: its name, or its keys as an object or a string of Extended JSON, as {number: 1}. An
	// update knows it in MongoDB from 4.2 on, what deletes or returns what it changes from 4.4 on. Unset: the server
	// chooses.
	// +optional
	Hint Document `json:"hint,omitempty" patchStrategy:"replace"`

	// arrayFilters say which elements of arrays an update with operators changes, as an array of filters or a string of
	// Extended JSON: [{item.price: {$gt: 5}}] for items.$[item].sold. At most 8192 characters. Unset: none.
	// +optional
	ArrayFilters Document `json:"arrayFilters,omitempty" patchStrategy:"replace"`

	// collation is how texts are compared. Unset: that of the collection.
	// +optional
	Collation *Collation `json:"collation,omitempty"`

	// let are variables that expressions of the filter, update or pipeline refer to as $$name: an object, or a string of
	// Extended JSON. At most 8192 characters. MongoDB knows it from 5.0 on. The parts of a BulkWrite have that of the
	// whole. Unset: none.
	// +optional
	Let Document `json:"let,omitempty" patchStrategy:"replace"`

	// maxTimeMillis is how long the server may work at a command of the operation before it gives up with an error. The
	// Wire client sends it as maxTimeMS; with the driver it bounds the whole operation, as an application's deadline does,
	// and the driver tells the server what is left of it. Unset: no limit but that of the target. Limits 1 to 3600000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000
	MaxTimeMillis int32 `json:"maxTimeMillis,omitempty"`

	// comment goes with every command of the operation, and is seen in the server's log, profiler and currentOp. MongoDB
	// knows it of writes and counts from 4.4 on. Unset: none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Comment string `json:"comment,omitempty"`
}
