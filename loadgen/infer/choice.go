package infer

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

const (
	// minSeen is how often a value must have been seen to stand in a Choice: a rare one may be personal.
	minSeen = 3
	// repetitions is how often the values of a Choice come on average, at least.
	repetitions = 10
	// mostWeight and longestValue are the API's limits.
	mostWeight   = 1_000_000
	longestValue = 1024
)

// fitsChoice says whether the values are few and come again and again.
func (n *node) fitsChoice() bool {
	if n.tooMany || n.seen < repetitions*int64(len(n.choices)) {
		return false
	}
	for kind := range n.types {
		// The values of documents and arrays are their parts'.
		if kind == bson.TypeArray || kind == bson.TypeEmbeddedDocument {
			return false
		}
	}
	return true
}

// fillsRange says whether values are all integers of a range, evenly, so that the range says it better.
func (n *node) fillsRange() bool {
	if len(n.types) != 1 || n.types[bson.TypeInt32]+n.types[bson.TypeInt64] == 0 || n.cardinality() < 3 {
		return false
	}
	sorted := slices.Sorted(slices.Values(n.integers))
	span := sorted[len(sorted)-1] - sorted[0] + 1
	if span != n.cardinality() {
		return false
	}
	return uniform(floats(sorted), float64(sorted[0]), float64(span), true)
}

// chosen is one value and how often it was seen.
type chosen struct {
	value bson.RawValue
	count int64
}

// choice declares the values themselves, the most frequent first.
func (i *inference) choice(path string, n *node) benchv1alpha1.Generator {
	all := make([]chosen, 0, len(n.choices))
	var rare int64
	for key, count := range n.choices {
		if count < minSeen && len(n.choices) > 1 {
			rare++
			continue
		}
		all = append(all, chosen{bson.RawValue{Type: bson.Type(key[0]), Value: []byte(key[1:])}, count})
	}
	slices.SortFunc(all, func(a, b chosen) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.value.Type, b.value.Type),
			slices.Compare(a.value.Value, b.value.Value))
	})
	if rare > 0 {
		i.note(path, "has %d more values that were seen less than %d times; they are left out", rare, minSeen)
	}
	g := benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorChoice}
	g.Choice = &benchv1alpha1.ChoiceSettings{}
	for place, one := range all {
		if i.sample.settings.NoValues {
			one.value = madeUp(one.value, place)
		}
		choice := benchv1alpha1.ChoiceValue{Value: benchv1alpha1.Constant(extendedJSON(one.value))}
		if len(all) > 1 {
			choice.Weight = new(int32(min(one.count, mostWeight)))
		}
		g.Choice.Values = append(g.Choice.Values, choice)
	}
	return g
}

// nullConstant is a null, which an object of the API cannot hold as such.
const nullConstant = `{"$json":"null"}`

// extendedJSON writes a value in the short form if that means the same value, also to an API server, to which 1.0 is 1.
func extendedJSON(value bson.RawValue) string {
	number, isDouble := value.DoubleOK()
	whole := isDouble && number == math.Trunc(number)
	for _, canonical := range []bool{false, true} {
		if whole && !canonical {
			continue
		}
		text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: value}}, canonical, false)
		if err != nil || len(text) < len(`{"v":}`) {
			continue
		}
		written := string(text[len(`{"v":`) : len(text)-1])
		parsed, err := extjson.Parse(written)
		if err != nil || len(written) > longestValue {
			continue
		}
		if back, err := extjson.Encode(parsed); err == nil && back.Equal(value) && parsed != nil {
			return written
		}
	}
	return nullConstant
}

// madeUp is a value of the same type and length that stands for the one at a place, different for each place.
func madeUp(value bson.RawValue, place int) bson.RawValue {
	made := bson.RawValue{Type: value.Type, Value: slices.Clone(value.Value)}
	switch value.Type {
	case bson.TypeString:
		text := madeUpText(len(value.StringValue()), place)
		made.Value = append(binary.LittleEndian.AppendUint32(nil, uint32(len(text)+1)), text...)
		made.Value = append(made.Value, 0)
	case bson.TypeInt32:
		binary.LittleEndian.PutUint32(made.Value, uint32(place))
	case bson.TypeInt64:
		binary.LittleEndian.PutUint64(made.Value, uint64(place))
	case bson.TypeDouble:
		binary.LittleEndian.PutUint64(made.Value, math.Float64bits(float64(place)+0.5))
	case bson.TypeDateTime:
		day := time.Date(2020, 1, 1+place, 0, 0, 0, 0, time.UTC)
		binary.LittleEndian.PutUint64(made.Value, uint64(day.UnixMilli()))
	case bson.TypeObjectID:
		clear(made.Value)
		binary.BigEndian.PutUint64(made.Value[4:], uint64(place))
	case bson.TypeBoolean, bson.TypeNull, bson.TypeMinKey, bson.TypeMaxKey, bson.TypeUndefined:
		// There is nothing of anybody's in them.
	default:
		return madeUp(bson.RawValue{Type: bson.TypeInt64, Value: make([]byte, 8)}, place)
	}
	return made
}

// madeUpText has the given length, and more only where there are more places than texts of it.
func madeUpText(length, place int) string {
	text := strconv.Itoa(place)
	return strings.Repeat("v", max(0, length-len(text))) + text
}
