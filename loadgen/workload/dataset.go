package workload

import (
	"maps"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// Dataset is a plan with the documents of its collections compiled, for loading and measuring alike.
type Dataset struct {
	plan        planv1.Plan
	collections map[string]collection
}

// collection is a collection's documents, what they were declared with, and how many of them are loaded.
type collection struct {
	generator *document.Generator
	fields    []planv1.Field
	loaded    int64
}

// NewDataset compiles the collections of a plan.
func NewDataset(plan planv1.Plan) (*Dataset, error) {
	d := &Dataset{plan: plan, collections: make(map[string]collection, len(plan.Collections))}
	for _, c := range plan.Collections {
		generator, err := document.Compile(plan.Seed, c)
		if err != nil {
			return nil, err
		}
		d.collections[c.Name] = collection{generator: generator, fields: c.Fields, loaded: c.DocumentCount}
	}
	return d, nil
}

// at is the dataset once its first collection has been loaded with this many documents; 0 is as it was loaded first.
func (d *Dataset) at(documents int64) *Dataset {
	if documents == 0 || len(d.plan.Collections) == 0 {
		return d
	}
	later := &Dataset{plan: d.plan, collections: maps.Clone(d.collections)}
	first := later.collections[d.plan.Collections[0].Name]
	first.loaded = documents
	later.collections[d.plan.Collections[0].Name] = first
	return later
}

// Generator is what makes the documents of a collection; nil when the plan has no such collection.
func (d *Dataset) Generator(name string) *document.Generator {
	return d.collections[name].generator
}
