package merge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

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
	start, dst := bsoncore.AppendDocumentStart(nil)
	dst = appendElement(dst, idField, expression)
	sum := bsoncore.NewDocumentBuilder().AppendInt32("$sum", 1).Build()
	dst = bsoncore.AppendDocumentElement(dst, field, sum)
	return bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: end(dst, start)}
}

// read takes the argument of a $group, and returns that for the shards.
func (g *Group) read(argument bsoncore.Value) (bsoncore.Value, error) {
	start, dst := bsoncore.AppendDocumentStart(nil)
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
	of := bson.A{bson.RawValue{Type: bson.Type(expression.Type), Value: expression.Data}}
	numbers := bson.A{"int", "long", "double", "decimal"}
	isNumber := bson.D{{Key: "$in", Value: bson.A{bson.D{{Key: "$type", Value: of}}, numbers}}}
	one := bson.D{{Key: "$cond", Value: bson.A{isNumber, int32(1), int32(0)}}}
	// It cannot fail: the expression was part of a document.
	count, _ := bson.Marshal(bson.D{{Key: "$sum", Value: one}})
	return count
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
		start, dst := bsoncore.AppendDocumentStart(nil)
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

// accumulator puts together what an accumulator of the same name has made on every shard.
type accumulator struct {
	add    func(into *state, v bsoncore.Value) error
	result func(*state) bsoncore.Value
	// counted accumulators need the number of values too.
	counted bool
}

// state is what was put together so far.
type state struct {
	// whole and fraction are parts of a sum, which is of the widest type so far.
	whole    int64
	fraction float64
	widest   bsoncore.Type
	count    int64
	// best is the least or greatest value, without a type where there is none.
	best bsoncore.Value
	// items are values, with their keys where none is to be there twice.
	items []bsoncore.Value
	keys  map[string]bool
}

// errDecimal is about sums that this program does not make.
var errDecimal = errors.New("sums of the type Decimal128 cannot be put together; use doubles, or one shard")

var accumulators = map[string]accumulator{
	"$sum":      {add: addNumber, result: sum},
	"$count":    {add: addNumber, result: sum},
	"$avg":      {add: addNumber, result: average, counted: true},
	"$min":      {add: prefer(-1), result: best},
	"$max":      {add: prefer(1), result: best},
	"$push":     {add: addItems, result: items},
	"$addToSet": {add: addNewItems, result: items},
}

// addNumber adds to a sum, which is of the widest type among what was added, and a double once whole numbers overflow.
func addNumber(into *state, v bsoncore.Value) error {
	switch v.Type {
	case bsoncore.TypeInt32, bsoncore.TypeInt64:
		number, _ := value.Number(v)
		total := into.whole + number
		if number > 0 && total < into.whole || number < 0 && total > into.whole {
			into.fraction += float64(into.whole) + float64(number)
			into.whole, into.widest = 0, bsoncore.TypeDouble
			return nil
		}
		into.whole = total
		if into.widest != bsoncore.TypeDouble && (into.widest == 0 || v.Type == bsoncore.TypeInt64) {
			into.widest = v.Type
		}
	case bsoncore.TypeDouble:
		into.fraction += v.Double()
		into.widest = bsoncore.TypeDouble
	case bsoncore.TypeDecimal128:
		return errDecimal
	default:
	}
	return nil
}

func sum(s *state) bsoncore.Value {
	switch {
	case s.widest == bsoncore.TypeDouble:
		return double(s.fraction + float64(s.whole))
	case s.widest == bsoncore.TypeInt64 || int64(int32(s.whole)) != s.whole:
		return bsoncore.Value{Type: bsoncore.TypeInt64, Data: bsoncore.AppendInt64(nil, s.whole)}
	default:
		return bsoncore.Value{Type: bsoncore.TypeInt32, Data: bsoncore.AppendInt32(nil, int32(s.whole))}
	}
}

func average(s *state) bsoncore.Value {
	if s.count == 0 {
		return value.Missing
	}
	return double((s.fraction + float64(s.whole)) / float64(s.count))
}

func double(number float64) bsoncore.Value {
	return bsoncore.Value{Type: bsoncore.TypeDouble, Data: bsoncore.AppendDouble(nil, number)}
}

// prefer takes a value that compares so with the best one. One that is not there, or null, is none.
func prefer(sign int) func(*state, bsoncore.Value) error {
	return func(s *state, v bsoncore.Value) error {
		none := v.Type == 0 || v.Type == bsoncore.TypeNull || v.Type == bsoncore.TypeUndefined
		if !none && (s.best.Type == 0 || value.Compare(v, s.best)*sign > 0) {
			s.best = clone(v)
		}
		return nil
	}
}

func best(s *state) bsoncore.Value {
	if s.best.Type == 0 {
		return value.Missing
	}
	return s.best
}

func addItems(into *state, array bsoncore.Value) error {
	for _, item := range value.All(array.Data) {
		into.items = append(into.items, clone(item))
	}
	return nil
}

func addNewItems(into *state, array bsoncore.Value) error {
	if into.keys == nil {
		into.keys = map[string]bool{}
	}
	for _, item := range value.All(array.Data) {
		key := string(value.AppendKey(nil, item))
		if !into.keys[key] {
			into.keys[key] = true
			into.items = append(into.items, clone(item))
		}
	}
	return nil
}

func items(s *state) bsoncore.Value {
	start, dst := bsoncore.AppendDocumentStart(nil)
	for i, item := range s.items {
		dst = appendElement(dst, strconv.Itoa(i), item)
	}
	return bsoncore.Value{Type: bsoncore.TypeArray, Data: end(dst, start)}
}
