package document

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// maxBytes is the longest String or Binary: as the run's API says, a little less than the longest document.
const maxBytes = 16_000_000

// uuidBytes is the length of a UUID.
const uuidBytes = 16

// freshBytes is the longest random part that is made afresh. Up to there that is faster than copying it from a pool,
// whose place is in no processor's cache; beyond, the copy wins.
const freshBytes = 512

// filling makes the bytes of a String or Binary: a random part, then the filler that makes up the compressible share.
type filling struct {
	stream       stream.Stream
	lengths      lengths
	compressible int
	// fresh overwrites with a random part; pool, nil when all values are short, is what longer ones are cut from.
	fresh func(dst []byte, p stream.Point)
	pool  []byte
}

func (c compiler) filling(v planv1.Value) (filling, error) {
	if err := checkPercent("compressible", v.CompressiblePercent); err != nil {
		return filling{}, err
	}
	l, err := c.lengths(v, maxBytes)
	if err != nil {
		return filling{}, err
	}
	return filling{stream: c.stream(v), lengths: l, compressible: v.CompressiblePercent}, nil
}

// draw is the length of the value, and where its bytes come from.
func (f *filling) draw(at place) (length int, p stream.Point) {
	p = (&source{stream: f.stream}).point(at)
	return f.lengths.draw(uint64(p), at.ordinal), p
}

func (f *filling) append(dst []byte, length int, p stream.Point) []byte {
	filled := length * f.compressible / 100
	start, random := len(dst), length-filled
	dst = slices.Grow(dst, length)[:start+random]
	f.fill(dst[start:], p)
	return appendFiller(dst, filled)
}

// fill overwrites with a random part.
func (f *filling) fill(dst []byte, p stream.Point) {
	if len(dst) <= freshBytes {
		f.fresh(dst, p)
		return
	}
	start, _ := bits.Mul64(p.Value(1), uint64(len(f.pool)-len(dst)+1))
	copy(dst, f.pool[start:])
}

// put overwrites the random part of a value whose length never changes; what repeats is there already.
func (f *filling) put(value []byte, at place) {
	length := int(f.lengths.min)
	f.fill(value[:length-length*f.compressible/100], (&source{stream: f.stream}).point(at))
}

// textMaker makes strings of 64 printable characters.
type textMaker struct{ filling filling }

func (c compiler) text(v planv1.Value) (maker, error) {
	f, err := c.textFilling(v)
	return &textMaker{filling: f}, err
}

func (c compiler) textFilling(v planv1.Value) (filling, error) {
	f, err := c.filling(v)
	f.fresh = fillText
	if v.Max > freshBytes {
		f.pool = textPool()
	}
	return f, err
}

func (m *textMaker) make(dst []byte, at place) (byte, []byte) {
	length, p := m.filling.draw(at)
	// The length of a BSON string counts the zero byte at its end.
	dst = binary.LittleEndian.AppendUint32(dst, uint32(length)+1)
	return byte(bson.TypeString), append(m.filling.append(dst, length, p), 0)
}

func (m *textMaker) put(value []byte, at place) { m.filling.put(value[lengthBytes:], at) }

// most counts the length and the zero byte too.
func (m *textMaker) most() int64 { return m.filling.lengths.max + 5 }

// binaryMaker makes binary values of the generic subtype.
type binaryMaker struct{ filling filling }

func (c compiler) binary(v planv1.Value) (maker, error) {
	f, err := c.filling(v)
	f.fresh = fillRandom
	if v.Max > freshBytes {
		f.pool = binaryPool()
	}
	return &binaryMaker{filling: f}, err
}

func (m *binaryMaker) make(dst []byte, at place) (byte, []byte) {
	length, p := m.filling.draw(at)
	dst = append(binary.LittleEndian.AppendUint32(dst, uint32(length)), bson.TypeBinaryGeneric)
	return byte(bson.TypeBinary), m.filling.append(dst, length, p)
}

func (m *binaryMaker) put(value []byte, at place) { m.filling.put(value[lengthBytes+1:], at) }

// most counts the length and the subtype too.
func (m *binaryMaker) most() int64 { return m.filling.lengths.max + 5 }

// uuidMaker makes random UUIDs (version 4).
type uuidMaker struct{ source source }

func (c compiler) uuid(v planv1.Value) (maker, error) {
	return &uuidMaker{source: source{stream: c.stream(v)}}, nil
}

func (m *uuidMaker) make(dst []byte, at place) (byte, []byte) {
	dst = append(binary.LittleEndian.AppendUint32(dst, uuidBytes), bson.TypeBinaryUUID)
	start := len(dst)
	dst = append(dst, make([]byte, uuidBytes)...)
	m.write(dst[start:], at)
	return byte(bson.TypeBinary), dst
}

func (m *uuidMaker) put(value []byte, at place) { m.write(value[lengthBytes+1:], at) }

func (m *uuidMaker) write(dst []byte, at place) {
	p := m.source.point(at)
	// Version 4 and variant 1, where RFC 9562 puts them.
	high := p.Value(0)&^uint64(0xf000) | 0x4000
	low := p.Value(1)>>2 | 1<<63
	binary.BigEndian.PutUint64(dst, high)
	binary.BigEndian.PutUint64(dst[8:], low)
}

func (m *uuidMaker) most() int64 { return uuidBytes + 5 }

// objectIDEpoch is the time in the ObjectID of record 0: the start of 2020. Times before the run look like those of
// data that has grown; and they leave room for record numbers up to 2^51.
const objectIDEpoch = 1_577_836_800

// objectIDsPerSecond, as a power of two, is how many ObjectIDs share a second: about a million, as in a fast load.
const objectIDsPerSecond = 20

// objectIDMaker makes ObjectIDs as a driver would: seconds, five bytes of the process, and a counter. They grow with
// the record number, and so does an index on them.
type objectIDMaker struct {
	source source
	// process of the documents that are neither revisions nor elements of an array.
	process stream.Point
}

// objectIDBytes is the length of an ObjectID.
const objectIDBytes = 12

func (c compiler) objectID(v planv1.Value) (maker, error) {
	src := source{stream: c.stream(v)}
	return &objectIDMaker{source: src, process: src.point(place{})}, nil
}

func (m *objectIDMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	dst = append(dst, make([]byte, objectIDBytes)...)
	m.put(dst[start:], at)
	return byte(bson.TypeObjectID), dst
}

func (m *objectIDMaker) put(value []byte, at place) {
	process := m.process
	if at.variant != 0 {
		// Elements of an array, and revisions, differ in their process.
		process = m.source.point(place{variant: at.variant})
	}
	binary.BigEndian.PutUint32(value, uint32(objectIDEpoch+at.record>>objectIDsPerSecond))
	// Five bytes of the process, then three of the counter: the lower bits of the record number.
	rest := uint64(process)<<24 | uint64(at.record)&0xffffff
	binary.BigEndian.PutUint64(value[4:], rest)
}

func (m *objectIDMaker) most() int64 { return objectIDBytes }

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
