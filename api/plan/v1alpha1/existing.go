package v1alpha1

import (
	"maps"
	"slices"
)

// Existing says how collections are measured that the run does not load.
type Existing struct {
	// Writable lets the run change documents and indexes.
	Writable bool `json:"writable,omitempty"`
	// SampledKeys is the number of documents of each collection that is Sampled that a Key draws from.
	SampledKeys int64 `json:"sampledKeys"`
}

// Sampled says whether nothing is known of the documents of a collection: a Key draws from a sample of them.
func (p Plan) Sampled(c Collection) bool { return p.Existing != nil && c.DocumentCount == 0 }

// SampledFields are the fields that parameters of type Key take of the documents of collections that are Sampled, by
// the name of the collection and in order. A collection of which no key is drawn is not among them.
func (p Plan) SampledFields() map[string][]string {
	fields := map[string][]string{}
	for _, collection := range p.Collections {
		if !p.Sampled(collection) {
			continue
		}
		for _, step := range p.Steps {
			for _, operation := range step.Operations {
				if operation.Collection == collection.Name {
					fields[collection.Name] = append(fields[collection.Name], operation.keyFields()...)
				}
			}
		}
	}
	maps.DeleteFunc(fields, func(_ string, all []string) bool { return len(all) == 0 })
	for name, all := range fields {
		slices.Sort(all)
		fields[name] = slices.Compact(all)
	}
	return fields
}

// keyFields are the fields that parameters of type Key take.
func (o Operation) keyFields() (fields []string) {
	for _, parameter := range o.Parameters {
		if parameter.Type == TypeKey {
			fields = append(fields, parameter.KeyField)
		}
	}
	return fields
}
