package merge

import (
	"errors"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

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
	start, dst := begin(nil)
	for i, item := range s.items {
		dst = appendElement(dst, strconv.Itoa(i), item)
	}
	return bsoncore.Value{Type: bsoncore.TypeArray, Data: end(dst, start)}
}
