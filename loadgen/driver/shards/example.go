package shards

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// paramKey marks a document that stands for the value of a parameter.
const paramKey = "$param"

// kindOf finds a kind by its name.
func kindOf(name string) (workload.Kind, error) {
	for kind := workload.InsertOne; kind <= workload.Tail; kind++ {
		if kind.String() == name {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("kind %q is not known", name)
}

// example is a request such as an operation sends, with the number 1 for the value of every parameter: what can be said
// of it can be said of all of them.
func example(operation planv1.Operation) (*workload.Request, error) {
	kind, err := kindOf(operation.Kind)
	if err != nil {
		return nil, err
	}
	r := &workload.Request{
		Kind: kind, Collection: operation.Collection, Skip: operation.Skip, Limit: operation.Limit,
		Upsert: operation.Upsert, Ordered: operation.Ordered, Declared: &operation,
	}
	for _, text := range []struct {
		name, text string
		into       *bson.Raw
	}{
		{"filter", operation.Filter, &r.Filter},
		{"projection", operation.Projection, &r.Projection},
		{"update", operation.Update, &r.Update},
		{"pipeline", operation.Pipeline, &r.Pipeline},
		{"command", operation.Command, &r.Command},
	} {
		if text.text == "" {
			continue
		}
		encoded, err := encode(text.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.name, err)
		}
		*text.into = encoded.Value
		r.UpdateIsPipeline = r.UpdateIsPipeline || text.name == "update" && encoded.Type == bson.TypeArray
	}
	sort := bson.D{}
	for _, key := range operation.Sort {
		direction := int32(1)
		if key.Order == "-1" {
			direction = -1
		}
		sort = append(sort, bson.E{Key: key.Field, Value: direction})
	}
	if len(sort) > 0 {
		if r.Sort, err = bson.Marshal(sort); err != nil {
			return nil, fmt.Errorf("sort: %w", err)
		}
	}
	return r, nil
}

// encode encodes Extended JSON with its parameters filled in.
func encode(text string) (bson.RawValue, error) {
	parsed, err := extjson.Parse(text)
	if err != nil {
		return bson.RawValue{}, err
	}
	return extjson.Encode(filled(parsed))
}

func filled(parsed any) any {
	switch parsed := parsed.(type) {
	case bson.D:
		if len(parsed) == 1 && parsed[0].Key == paramKey {
			return int32(1)
		}
		for i := range parsed {
			parsed[i].Value = filled(parsed[i].Value)
		}
	case bson.A:
		for i := range parsed {
			parsed[i] = filled(parsed[i])
		}
	}
	return parsed
}
