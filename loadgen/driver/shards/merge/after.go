package merge

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// Step is something that is done with whole groups: sort them, take some of them, or count them.
type Step struct {
	Order Order
	Range Range
	// Count is the name of the field with the number of documents; empty for the documents themselves.
	Count string
}

// after takes a stage behind groups.
func (s *splitter) after(name string, argument bsoncore.Value) error {
	step := Step{Range: Range{Limit: -1}}
	switch name {
	case "$sort":
		order, err := ParseOrder(argument.Data)
		if err != nil {
			return err
		}
		step.Order = order
	case "$skip", "$limit":
		number, ok := value.Number(argument)
		if !ok {
			return fmt.Errorf("it is of type %s, not a number", argument.Type)
		}
		if name == "$skip" {
			step.Range.skip(number)
		} else {
			step.Range.limit(number)
		}
	case "$count":
		step.Count, _ = argument.StringValueOK()
	default:
		return errors.New("behind groups, which are put together here, there can only be $sort, $skip, $limit and $count; " +
			"put it before the groups")
	}
	s.plan.After = append(s.plan.After, step)
	return nil
}

// Finish returns the whole groups, with what is to be done with them done.
func (p *Plan) Finish() ([]bson.Raw, error) {
	documents := p.Group.Documents()
	for _, step := range p.After {
		if len(step.Order) > 0 {
			var err error
			if documents, err = step.Order.sort(documents); err != nil {
				return nil, err
			}
		}
		documents = documents[min(step.Range.Skip, int64(len(documents))):]
		if step.Range.Limit >= 0 {
			documents = documents[:min(step.Range.Limit, int64(len(documents)))]
		}
		if step.Count != "" && len(documents) > 0 {
			count := bsoncore.NewDocumentBuilder().AppendInt32(step.Count, int32(len(documents))).Build()
			documents = []bson.Raw{bson.Raw(count)}
		}
	}
	return documents, nil
}

// sort sorts documents; those that compare as equal stay in their order.
func (o Order) sort(documents []bson.Raw) ([]bson.Raw, error) {
	type keyed struct {
		document bson.Raw
		keys     []bsoncore.Value
	}
	all := make([]keyed, 0, len(documents))
	for _, document := range documents {
		keys, err := o.Keys(nil, document)
		if err != nil {
			return nil, err
		}
		all = append(all, keyed{document, keys})
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return o.Compare(a.keys, b.keys) })
	for i := range all {
		documents[i] = all[i].document
	}
	return documents, nil
}
