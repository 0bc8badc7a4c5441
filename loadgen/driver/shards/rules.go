package shards

import (
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// rules say where the documents of each collection lie. They are read-only.
type rules struct {
	shards int
	// byName are those of the plan's collections; byID is that of any other.
	byName map[string]*placement.Rule
	byID   *placement.Rule
	fields map[string][]planv1.Field
}

func newRules(collections []planv1.Collection, shards int) (*rules, error) {
	byID, err := placement.New(planv1.Collection{}, shards)
	if err != nil {
		return nil, err
	}
	r := &rules{
		shards: shards, byName: map[string]*placement.Rule{}, byID: byID, fields: map[string][]planv1.Field{},
	}
	for _, collection := range collections {
		if r.byName[collection.Name], err = placement.New(collection, shards); err != nil {
			return nil, err
		}
		r.fields[collection.Name] = collection.Fields
	}
	return r, nil
}

// of is the rule of a collection.
func (r *rules) of(collection string) *placement.Rule {
	if rule, ok := r.byName[collection]; ok {
		return rule
	}
	return r.byID
}

// stays says whether a field has the same value in every revision of a document.
func (r *rules) stays(collection string, path value.Path) bool {
	name := path.String()
	return name == "_id" || slices.ContainsFunc(r.fields[collection], func(field planv1.Field) bool {
		return field.Name == name && (field.Type == planv1.TypeSequence || field.Type == planv1.TypeSerial)
	})
}
