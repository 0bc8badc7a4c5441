package document

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// maxDigits bounds how far the number of a Serial is padded with zeros; longestNumber are the digits of 2^63.
const (
	maxDigits     = 100
	longestNumber = 19
)

// zeros are the most that a number is padded with.
const zeros = "00000000000000000000000000000000000000000000000000" +
	"00000000000000000000000000000000000000000000000000"

// serialMaker makes a text of the record number, whatever the revision: a prefix and the number, or the number's hash,
// padded with zeros on the left. With the prefix "user", no padding and Hashed these are the names of YCSB's records.
type serialMaker struct {
	prefix string
	digits int
	hashed bool
}

func (c compiler) serial(v planv1.Value) (maker, error) {
	if v.Digits < 0 || v.Digits > maxDigits {
		return nil, fmt.Errorf("digits of a Serial are %d, not from 0 to %d", v.Digits, maxDigits)
	}
	return &serialMaker{prefix: v.Prefix, digits: v.Digits, hashed: v.Hashed}, nil
}

func (m *serialMaker) make(dst []byte, at place) (byte, []byte) {
	number := uint64(at.record)
	if m.hashed {
		number = stream.FNV(number)
	}
	var buffer [longestNumber + 1]byte
	digits := strconv.AppendUint(buffer[:0], number, 10)
	padding := zeros[:max(m.digits-len(digits), 0)]
	length := len(m.prefix) + len(padding) + len(digits)
	// The length of a BSON string counts the zero byte at its end.
	dst = binary.LittleEndian.AppendUint32(dst, uint32(length)+1)
	dst = append(dst, m.prefix...)
	dst = append(dst, padding...)
	return byte(bson.TypeString), append(append(dst, digits...), 0)
}

// most counts the length and the zero byte too.
func (m *serialMaker) most() int64 { return int64(len(m.prefix) + max(m.digits, longestNumber) + 5) }
