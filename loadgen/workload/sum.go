package workload

import (
	"encoding/binary"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// summed are the types of parameters that another can be added to, with their types in BSON.
var summed = map[planv1.ValueType]bson.Type{
	planv1.TypeInt:    bson.TypeInt32,
	planv1.TypeLong:   bson.TypeInt64,
	planv1.TypeDouble: bson.TypeDouble,
	planv1.TypeDate:   bson.TypeDateTime,
}

// summand finds the parameter whose value is added to that of a declared one: it is of the same type, or a Key whose
// field is.
func summand(c collection, before []planv1.Parameter, declared planv1.Parameter) (int, error) {
	want, ok := summed[declared.Type]
	if !ok {
		return none, fmt.Errorf("nothing can be added to a value of type %s", declared.Type)
	}
	index := indexOf(before, declared.PlusParameter)
	if index < 0 {
		return none, fmt.Errorf("plusParameter %q is no parameter before this one", declared.PlusParameter)
	}
	other := before[index]
	if other.Type == planv1.TypeKey && c.holds(other.KeyField, want) {
		return index, nil
	}
	if summed[other.Type] != want {
		return none, fmt.Errorf("plusParameter %q is not of type %s", declared.PlusParameter, declared.Type)
	}
	return index, nil
}

// holds says whether every value of a field has this type.
func (c collection) holds(name string, want bson.Type) bool {
	for _, field := range c.fields {
		if field.Name == name {
			return summed[field.Type] == want || field.Type == planv1.TypeSequence && want == bson.TypeInt64
		}
	}
	return false
}

// add adds another value of the same type to an encoded one, in its place. What does not fit becomes the nearest value
// that does.
func add(bsonType byte, value, other []byte) {
	switch bson.Type(bsonType) {
	case bson.TypeInt32:
		sum := int64(int32(binary.LittleEndian.Uint32(value))) + int64(int32(binary.LittleEndian.Uint32(other)))
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
		binary.LittleEndian.PutUint32(value, uint32(int32(sum)))
	case bson.TypeInt64, bson.TypeDateTime:
		sum := saturated(int64(binary.LittleEndian.Uint64(value)), int64(binary.LittleEndian.Uint64(other)))
		binary.LittleEndian.PutUint64(value, uint64(sum))
	case bson.TypeDouble:
		sum := double(value) + double(other)
		sum = min(max(sum, -math.MaxFloat64), math.MaxFloat64)
		binary.LittleEndian.PutUint64(value, math.Float64bits(sum))
	default:
	}
}

func double(value []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(value))
}

func saturated(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}
