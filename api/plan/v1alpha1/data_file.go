package v1alpha1

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// DataFile is a file of documents, by the name that values and collections know it by.
type DataFile struct {
	Name   string                   `json:"name"`
	File   File                     `json:"file"`
	Format benchv1alpha1.FileFormat `json:"format"`
}

// FileFields are the fields that are taken of the documents of each of the DataFiles, by its name and in order; the
// empty one is the whole document. A file that nothing is taken of is not among them.
func (p Plan) FileFields() map[string][]string {
	fields := map[string][]string{}
	p.eachValue(func(v *Value) {
		if v.FromFile != nil {
			fields[v.FromFile.File] = append(fields[v.FromFile.File], v.FromFile.Field)
		}
	})
	for _, collection := range p.Collections {
		if from := collection.DocumentsFrom; from != "" {
			fields[from] = append(fields[from], "", "_id")
			fields[from] = append(fields[from], p.keyFieldsOf(collection.Name)...)
		}
	}
	for name, all := range fields {
		slices.Sort(all)
		fields[name] = slices.Compact(all)
	}
	return fields
}

// keyFieldsOf are the fields that keys of a collection, or of views on it, take.
func (p Plan) keyFieldsOf(name string) (fields []string) {
	for _, step := range p.Steps {
		for _, operation := range step.Operations {
			if p.SourceOf(operation.Collection) == name {
				fields = append(fields, operation.keyFields()...)
			}
		}
	}
	return fields
}
