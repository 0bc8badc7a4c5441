package merge

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// Group puts the partial groups of several shards together. It serves one answer.
type Group struct {
	// identified says that groups have an _id; the one of a $count has none.
	identified bool
	fields     []accumulated
	groups     []group
	// byID finds a group by the key of its _id, for which key is a buffer.
	byID map[string]int
	key  []byte
}

// accumulated is a field of the groups.
type accumulated struct {
	name        string
	accumulator accumulator
}

// group is one group: its _id, and what was accumulated for each field so far.
type group struct {
	id     bsoncore.Value
	states []state
}

// countPrefix begins the name of a field that the shards are asked for, besides: the number of values of an average.
const countPrefix = "mongobench_count_"

// group takes a $group, $sortByCount or $count.
func (s *splitter) group(name string, argument bsoncore.Value) error {
	s.plan.Order = nil
	group := &Group{identified: name != "$count", byID: map[string]int{}}
	switch name {
	case "$count":
		field, ok := argument.StringValueOK()
		if !ok {
			return errors.New("it has no name for the count")
		}
		group.fields = []accumulated{{name: field, accumulator: accumulators["$sum"]}}
	case "$sortByCount":
		const field = "count"
		group.fields = []accumulated{{name: field, accumulator: accumulators["$sum"]}}
		s.plan.After = []Step{{Order: Order{{Path: value.Path{field}, Descending: true}}, Range: Range{Limit: -1}}}
		name, argument = "$group", countedBy(argument, field)
	default:
		var err error
		if argument, err = group.read(argument); err != nil {
			return err
		}
	}
	s.add(name, argument)
	s.plan.Group = group
	return nil
}

// countedBy is the argument of the $group that a $sortByCount stands for.
func countedBy(expression bsoncore.Value, field string) bsoncore.Value {
	start, dst := begin(nil)
	dst = appendElement(dst, idField, expression)
	sum := bsoncore.NewDocumentBuilder().AppendInt32("$sum", 1).Build()
	dst = bsoncore.AppendDocumentElement(dst, field, sum)
	return bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: end(dst, start)}
}

// read takes the argument of a $group, and returns that for the shards.
func (g *Group) read(argument bsoncore.Value) (bsoncore.Value, error) {
	start, dst := begin(nil)
	for name, v := range value.All(argument.Data) {
		if string(name) == idField {
			dst = appendElement(dst, name, v)
			continue
		}
		operator, expression, _ := value.First(v.Data)
		known, ok := accumulators[string(operator)]
		if !ok {
			return argument, fmt.Errorf("field %q: groups with %s cannot be put together; there are $sum, $avg, $min, $max, "+
				"$count, $push and $addToSet", name, operator)
		}
		g.fields = append(g.fields, accumulated{name: string(name), accumulator: known})
		if known.counted {
			// The average itself cannot be put together, its sum and count can.
			dst = bsoncore.AppendDocumentElement(dst, string(name), operation("$sum", expression))
			dst = bsoncore.AppendDocumentElement(dst, countPrefix+string(name), numbersOf(expression))
			continue
		}
		dst = appendElement(dst, name, v)
	}
	return bsoncore.Value{Type: argument.Type, Data: end(dst, start)}, nil
}

func operation(operator string, argument bsoncore.Value) []byte {
	return bsoncore.NewDocumentBuilder().AppendValue(operator, argument).Build()
}

// numbersOf counts the numbers among the values of an expression. Servers before 4.4 know no $isNumber.
func numbersOf(expression bsoncore.Value) []byte {
	array := func(items ...bsoncore.Value) bsoncore.Value {
		return bsoncore.Value{Type: bsoncore.TypeArray, Data: bsoncore.BuildArray(nil, items...)}
	}
	text := func(text string) bsoncore.Value {
		return bsoncore.Value{Type: bsoncore.TypeString, Data: bsoncore.AppendString(nil, text)}
	}
	number := func(number int32) bsoncore.Value {
		return bsoncore.Value{Type: bsoncore.TypeInt32, Data: bsoncore.AppendInt32(nil, number)}
	}
	object := func(operator string, argument bsoncore.Value) bsoncore.Value {
		return bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: operation(operator, argument)}
	}
	isNumber := object("$in", array(object("$type", array(expression)),
		array(text("int"), text("long"), text("double"), text("decimal"))))
	return operation("$sum", object("$cond", array(isNumber, number(1), number(0))))
}

// Add takes a partial group of a shard.
func (g *Group) Add(document []byte) error {
	id, _ := value.Field(document, idField)
	g.key = value.AppendKey(g.key[:0], id)
	index, ok := g.byID[string(g.key)]
	if !ok {
		index = len(g.groups)
		g.byID[string(g.key)] = index
		g.groups = append(g.groups, group{id: clone(id), states: make([]state, len(g.fields))})
	}
	for i := range g.fields {
		field := &g.fields[i]
		v, _ := value.Field(document, field.name)
		into := &g.groups[index].states[i]
		if err := field.accumulator.add(into, v); err != nil {
			return fmt.Errorf("putting the groups of several shards together: field %q: %w", field.name, err)
		}
		if field.accumulator.counted {
			count, _ := value.Field(document, countPrefix+field.name)
			number, _ := value.Number(count)
			into.count += number
		}
	}
	return nil
}

// Documents are the whole groups.
func (g *Group) Documents() []bson.Raw {
	documents := make([]bson.Raw, 0, len(g.groups))
	for i := range g.groups {
		start, dst := begin(nil)
		if g.identified {
			dst = appendElement(dst, idField, g.groups[i].id)
		}
		for j := range g.fields {
			v := g.fields[j].accumulator.result(&g.groups[i].states[j])
			dst = appendElement(dst, g.fields[j].name, v)
		}
		documents = append(documents, end(dst, start))
	}
	return documents
}

func clone(v bsoncore.Value) bsoncore.Value {
	if v.Type == 0 {
		v = value.Missing
	}
	return bsoncore.Value{Type: v.Type, Data: append([]byte(nil), v.Data...)}
}

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
		if err := step.Range.cut(name, argument); err != nil {
			return err
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
			if documents, err = step.Order.Sort(documents); err != nil {
				return nil, err
			}
		}
		documents = step.Range.Of(documents)
		if step.Count != "" && len(documents) > 0 {
			count := bsoncore.NewDocumentBuilder().AppendInt32(step.Count, int32(len(documents))).Build()
			documents = []bson.Raw{bson.Raw(count)}
		}
	}
	return documents, nil
}

// Sort sorts documents; those that compare as equal stay in their order.
func (o Order) Sort(documents []bson.Raw) ([]bson.Raw, error) {
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
