package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// validateFiles checks where files are, and that whoever takes something of one names one that there is.
func validateFiles(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	files := spec.Dataset.Files
	for i := range files {
		validateFile(found, files[i].FileSource, path.Child("dataset", "files").Index(i))
	}
	check := fileCheck{found, files}
	for i := range spec.Dataset.Collections {
		collection, path := &spec.Dataset.Collections[i], path.Child("dataset", "collections").Index(i)
		check.collection(spec, collection, path)
	}
	for i := range spec.Workload.Steps {
		for j := range spec.Workload.Steps[i].Operations {
			declared := &spec.Workload.Steps[i].Operations[j]
			path := path.Child("workload", "steps").Index(i).Child("operations").Index(j)
			for k := range declared.Parameters {
				check.from(&declared.Parameters[k].ValueSettings, path.Child("parameters").Index(k))
			}
			operationCheck{Findings: found, operation: declared, spec: spec, path: path}.onDocuments()
		}
	}
}

// fileCheck checks what is taken of files.
type fileCheck struct {
	*product.Findings
	files []benchv1alpha1.DataFile
}

// known refuses the name of a file that there is not.
func (c fileCheck) known(name string, path *field.Path) {
	names := make([]string, 0, len(c.files))
	for i := range c.files {
		names = append(names, c.files[i].Name)
	}
	if !slices.Contains(names, name) {
		c.Add(field.NotSupported(path, name, names))
	}
}

// from checks a value of a file.
func (c fileCheck) from(settings *benchv1alpha1.ValueSettings, path *field.Path) {
	if settings.FromFile != nil {
		c.known(settings.FromFile.File, path.Child("fromFile", "file"))
	}
}

// collection checks the documents of a collection, or all of its fields.
func (c fileCheck) collection(
	spec *benchv1alpha1.BenchmarkRunSpec, collection *benchv1alpha1.Collection, path *field.Path,
) {
	if documents := collection.Documents; documents != nil {
		c.known(documents.File, path.Child("documents", "file"))
		c.Forbid(collection.DocumentCount == nil && spec.Workload.Growth == nil, path.Child("documentCount"),
			"is required with documents: so many are loaded, and the file is gone through again where it has fewer")
		c.Forbid(spec.Dataset.Existing != nil, path.Child("documents"), "an existing collection is measured as it is")
		series := optionsOf(collection).TimeSeries
		c.Forbid(series != nil, path.Child("documents"), "documents of a time series are made of fields here")
	}
	for i := range collection.Fields {
		declared, path := &collection.Fields[i], path.Child("fields").Index(i)
		c.from(&declared.ValueSettings, path)
		c.nested(declared.Document, path)
		if declared.Array != nil {
			element := path.Child("array", "element")
			c.from(&declared.Array.Element.ValueSettings, element)
			c.nested(declared.Array.Element.Document, element)
		}
	}
}

func (c fileCheck) nested(document *benchv1alpha1.DocumentGenerator, path *field.Path) {
	if document == nil {
		return
	}
	for i := range document.Fields {
		c.from(&document.Fields[i].ValueSettings, path.Child("document", "fields").Index(i))
	}
}

// onDocuments refuses replacements in a collection whose documents are those of a file, which have no other revision.
func (c operationCheck) onDocuments() {
	for _, request := range c.requests() {
		collection := c.find(request.request.Collection)
		c.Forbid(operation.Of(request.request.Kind).Replaces() && collection != nil && collection.Documents != nil,
			request.path.Child("kind"), "a replacement is another revision of a document, and one of a file has none; use "+
				"UpdateOne")
	}
}

// ofFile is a collection whose documents are those of a file.
func ofFile(collection *benchv1alpha1.Collection) bool { return collection.Documents != nil }

// fileBytes are those that load pods keep of a file at most: of a volume as much as they may.
func fileBytes(source benchv1alpha1.FileSource) int64 {
	if source.ConfigMap != nil {
		return 2 << 20
	}
	return 64 << 20
}
