package value

import (
	"bytes"
	"crypto/md5" //nolint:gosec // It is the hash that MongoDB's hashed indexes are made of, and guards nothing.
	"encoding/binary"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// scratchBytes hold what is hashed of most values.
const scratchBytes = 256

// Hash is the hash that MongoDB has in its hashed indexes: the first eight bytes of MD5 over the seed, which is 0, and
// the value with its class. Numbers of all types are made whole before.
func Hash(v bsoncore.Value) int64 {
	var scratch [scratchBytes]byte
	dst := binary.LittleEndian.AppendUint32(scratch[:0], 0)
	switch canonical(v.Type) {
	case classDocument, classArray, classScope:
		return first(appendHashed(bytes.Clone(dst), v, nil))
	case classNumber:
		dst = binary.LittleEndian.AppendUint32(dst, classNumber)
		return first(binary.LittleEndian.AppendUint64(dst, uint64(asInt64(v))))
	default:
		dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(canonical(v.Type))))
		return first(append(dst, v.Data...))
	}
}

// first is the part of the sum that is used.
func first(hashed []byte) int64 {
	sum := md5.Sum(hashed) //nolint:gosec // See above.
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// appendHashed appends what is hashed of a value: of one within a document also its name with a zero byte.
func appendHashed(dst []byte, v bsoncore.Value, name []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(canonical(v.Type))))
	dst = append(dst, name...)
	switch canonical(v.Type) {
	case classNumber:
		return binary.LittleEndian.AppendUint64(dst, uint64(asInt64(v)))
	case classDocument, classArray:
		return appendNested(dst, v.Data)
	case classScope:
		code, scope := splitScope(v.Data)
		return appendNested(append(append(dst, code...), 0), scope)
	default:
		return append(dst, v.Data...)
	}
}

// appendNested appends the elements of a document, and the mark of its end.
func appendNested(dst, document []byte) []byte {
	for name, v := range All(document) {
		// The zero byte of the name lies behind it.
		dst = appendHashed(dst, v, name[:len(name)+1])
	}
	return binary.LittleEndian.AppendUint32(dst, 0)
}

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
		for name, inner := range All(v.Data) {
			dst = append(append(append(dst, 1), name...), 0)
			dst = AppendKey(dst, inner)
		}
		return append(dst, 0)
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
	case rank == notANumber:
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
