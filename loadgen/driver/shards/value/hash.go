package value

import (
	"bytes"
	"crypto/md5" //nolint:gosec // It is the hash that MongoDB's hashed indexes are made of, and guards nothing.
	"encoding/binary"

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
	elements := In(document)
	for {
		name, v, ok := elements.Next()
		if !ok {
			return binary.LittleEndian.AppendUint32(dst, 0)
		}
		// The zero byte of the name lies behind it.
		dst = appendHashed(dst, v, name[:len(name)+1])
	}
}
