package v1alpha1

// DataFile is a file that values or whole documents are taken from. All load pods read it once, before the first step.
type DataFile struct {
	// name by which fields, parameters and collections refer to it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`

	// format of the file: CSV with the names of the columns in its first line, NDJSON with a document of Extended JSON in
	// each line, or BSON as mongodump writes it. Of a compressed file none of these.
	// +required
	Format FileFormat `json:"format,omitempty"`

	FileSource `json:",inline"`
}

// FileFormat is how documents are written in a file.
// +kubebuilder:validation:Enum=CSV;NDJSON;BSON
type FileFormat string

// The formats of files.
const (
	FormatCSV    FileFormat = "CSV"
	FormatNDJSON FileFormat = "NDJSON"
	FormatBSON   FileFormat = "BSON"
)

// FromFileSettings are the settings of type FromFile: the value that a document of a file has.
type FromFileSettings struct {
	// file is the name of one of dataset.files.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	File string `json:"file,omitempty"`

	// field of the file's documents, or a column of a CSV, by its name. A name with dots is of a nested document. Where a
	// document is without it the value is null.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`
}

// DocumentsFromFile has a collection loaded with the documents of a file.
type DocumentsFromFile struct {
	// file is the name of one of dataset.files. Record number 0 is its first document, as it is; a record number beyond
	// its last is the first again, with another _id, and so are documents that operations insert. All of them together may
	// have 64 MiB.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	File string `json:"file,omitempty"`
}
