package document

import (
	"encoding/binary"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// maxBytes is the longest String or Binary: as the run's API says, a little less than the longest document.
const maxBytes = 16_000_000

// uuidBytes is the length of a UUID.
const uuidBytes = 16

// window cuts values from a pool: a random part, then the filler that makes up the compressible share.
type window struct {
	source       stream.Stream
	lengths      lengths
	compressible int
	pool         []byte
}

func (c compiler) window(v planv1.Value, pool func() []byte) (window, error) {
	if err := checkPercent("compressible", v.CompressiblePercent); err != nil {
		return window{}, err
	}
	l, err := c.lengths(v, maxBytes)
	if err != nil {
		return window{}, err
	}
	return window{source: c.stream(v), lengths: l, compressible: v.CompressiblePercent, pool: pool()}, nil
}

// draw is the length of the value, and where its random part begins.
func (w *window) draw(at place) (length int, start uint64) {
	p := (&source{stream: w.source}).point(at)
	length = w.lengths.draw(uint64(p), at.ordinal)
	start, _ = bits.Mul64(p.Value(1), uint64(poolBytes-length+1))
	return length, start
}

func (w *window) append(dst []byte, length int, start uint64) []byte {
	filled := length * w.compressible / 100
	dst = append(dst, w.pool[start:start+uint64(length-filled)]...)
	return appendFiller(dst, filled)
}

// textMaker makes strings of 64 printable characters.
type textMaker struct{ window window }

func (c compiler) text(v planv1.Value) (maker, error) {
	w, err := c.window(v, textPool)
	return &textMaker{window: w}, err
}

func (m *textMaker) make(dst []byte, at place) (byte, []byte) {
	length, start := m.window.draw(at)
	// The length of a BSON string counts the zero byte at its end.
	dst = binary.LittleEndian.AppendUint32(dst, uint32(length)+1)
	return byte(bson.TypeString), append(m.window.append(dst, length, start), 0)
}

// binaryMaker makes binary values of the generic subtype.
type binaryMaker struct{ window window }

func (c compiler) binary(v planv1.Value) (maker, error) {
	w, err := c.window(v, binaryPool)
	return &binaryMaker{window: w}, err
}

func (m *binaryMaker) make(dst []byte, at place) (byte, []byte) {
	length, start := m.window.draw(at)
	dst = append(binary.LittleEndian.AppendUint32(dst, uint32(length)), bson.TypeBinaryGeneric)
	return byte(bson.TypeBinary), m.window.append(dst, length, start)
}

// uuidMaker makes random UUIDs (version 4).
type uuidMaker struct{ source source }

func (c compiler) uuid(v planv1.Value) (maker, error) {
	return &uuidMaker{source: source{stream: c.stream(v)}}, nil
}

func (m *uuidMaker) make(dst []byte, at place) (byte, []byte) {
	p := m.source.point(at)
	dst = append(binary.LittleEndian.AppendUint32(dst, uuidBytes), bson.TypeBinaryUUID)
	// Version 4 and variant 1, where RFC 9562 puts them.
	high := p.Value(0)&^uint64(0xf000) | 0x4000
	low := p.Value(1)>>2 | 1<<63
	dst = binary.BigEndian.AppendUint64(dst, high)
	return byte(bson.TypeBinary), binary.BigEndian.AppendUint64(dst, low)
}

// objectIDEpoch is the time in the ObjectID of record 0: the start of 2020. Times before the run look like those of data
// that has grown; and they leave room for record numbers up to 2^51.
const objectIDEpoch = 1_577_836_800

// objectIDsPerSecond, as a power of two, is how many ObjectIDs share a second: about a million, as in a fast load.
const objectIDsPerSecond = 20

// objectIDMaker makes ObjectIDs as a driver would: seconds, five bytes of the process, and a counter. They grow with the
// record number, and so does an index on them.
type objectIDMaker struct{ source source }

func (c compiler) objectID(v planv1.Value) (maker, error) {
	return &objectIDMaker{source: source{stream: c.stream(v)}}, nil
}

func (m *objectIDMaker) make(dst []byte, at place) (byte, []byte) {
	// Elements of an array, and revisions, differ in their process.
	process := m.source.point(place{variant: at.variant})
	dst = binary.BigEndian.AppendUint32(dst, uint32(objectIDEpoch+at.record>>objectIDsPerSecond))
	// Five bytes of the process, then three of the counter: the lower bits of the record number.
	rest := uint64(process)<<24 | uint64(at.record)&0xffffff
	return byte(bson.TypeObjectID), binary.BigEndian.AppendUint64(dst, rest)
}
