package value

import (
	"encoding/binary"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// What numbers are written with in a key.
const (
	keyWhole = 'i'
	keyFloat = 'f'
	keyExact = 'd'
)

// AppendKey appends bytes that are the same for values that Compare takes for equal, and others for any other value.
func AppendKey(dst []byte, v bsoncore.Value) []byte {
	class := canonical(v.Type)
	dst = append(dst, byte(class))
	switch class {
	case classNumber:
		return appendNumberKey(dst, v)
	case classDocument, classArray:
		elements := In(v.Data)
		for {
			name, inner, ok := elements.Next()
			if !ok {
				return append(dst, 0)
			}
			dst = append(append(append(dst, 1), name...), 0)
			dst = AppendKey(dst, inner)
		}
	default:
		return append(dst, v.Data...)
	}
}

func appendNumberKey(dst []byte, v bsoncore.Value) []byte {
	if whole, ok := integer(v); ok {
		return binary.LittleEndian.AppendUint64(append(dst, keyWhole), uint64(whole))
	}
	if v.Type == bsoncore.TypeDouble {
		return appendFloatKey(dst, float(v))
	}
	rank, exact := exactly(v)
	switch {
	case rank < -1:
		return appendFloatKey(dst, math.NaN())
	case rank != 0:
		return appendFloatKey(dst, math.Inf(rank))
	case exact.IsInt() && exact.Num().IsInt64():
		return binary.LittleEndian.AppendUint64(append(dst, keyWhole), uint64(exact.Num().Int64()))
	}
	if number, isFloat := exact.Float64(); isFloat {
		return appendFloatKey(dst, number)
	}
	return append(append(append(dst, keyExact), exact.RatString()...), 0)
}

func appendFloatKey(dst []byte, number float64) []byte {
	if number >= -beyondInt64 && number < beyondInt64 && number == math.Trunc(number) {
		return binary.LittleEndian.AppendUint64(append(dst, keyWhole), uint64(int64(number)))
	}
	if math.IsNaN(number) {
		number = math.NaN()
	}
	return binary.LittleEndian.AppendUint64(append(dst, keyFloat), math.Float64bits(number))
}
