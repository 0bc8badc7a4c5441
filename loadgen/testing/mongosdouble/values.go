package mongosdouble

import (
	"bytes"
	"cmp"
	"crypto/md5" //nolint:gosec // It is MongoDB's hash of shard keys.
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// canonical are MongoDB's numbers of the kinds of values, which order values of different kinds.
var canonical = map[bson.Type]int32{
	bson.TypeMinKey: -1, bson.TypeNull: 5, bson.TypeInt32: 10, bson.TypeInt64: 10, bson.TypeDouble: 10,
	bson.TypeString: 15, bson.TypeEmbeddedDocument: 20, bson.TypeArray: 25, bson.TypeBinary: 30,
	bson.TypeObjectID: 35, bson.TypeBoolean: 40, bson.TypeDateTime: 45, bson.TypeTimestamp: 47, bson.TypeMaxKey: 127,
}

// hash is MongoDB's hash of a value: the first 64 bits of the MD5 of a seed, the kind, and the value, numbers of all
// types as whole ones.
func hash(value bson.RawValue) int64 {
	if _, bound := boundary(value); bound {
		panic("the bound of a chunk is not hashed")
	}
	content := binary.LittleEndian.AppendUint32(nil, 0)
	content = binary.LittleEndian.AppendUint32(content, uint32(canonical[value.Type]))
	if number, isNumber := value.AsInt64OK(); isNumber {
		content = binary.LittleEndian.AppendUint64(content, uint64(number))
	} else {
		content = append(content, value.Value...)
	}
	sum := md5.Sum(content) //nolint:gosec // See above.
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

// boundary says whether a value is lower or higher than all others.
func boundary(value bson.RawValue) (order int, is bool) {
	switch value.Type {
	case bson.TypeMinKey:
		return -1, true
	case bson.TypeMaxKey:
		return 1, true
	default:
		return 0, false
	}
}

// compare orders two values as MongoDB does, of the kinds that tests have.
func compare(a, b bson.RawValue) int {
	if order := cmp.Compare(canonical[a.Type], canonical[b.Type]); order != 0 {
		return order
	}
	switch canonical[a.Type] {
	case 10:
		return compareNumbers(a, b)
	case 15:
		return cmp.Compare(a.StringValue(), b.StringValue())
	case 45:
		return cmp.Compare(a.DateTime(), b.DateTime())
	default:
		return bytes.Compare(a.Value, b.Value)
	}
}

func compareNumbers(a, b bson.RawValue) int {
	if a.Type != bson.TypeDouble && b.Type != bson.TypeDouble {
		return cmp.Compare(a.AsInt64(), b.AsInt64())
	}
	first, _ := a.AsFloat64OK()
	second, _ := b.AsFloat64OK()
	return cmp.Compare(first, second)
}
