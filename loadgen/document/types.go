package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

const (
	// decimalBytes is the length of a Decimal128.
	decimalBytes = 16
	// decimalBias is added to the exponent of a Decimal128, which stands decimalShift bits up in its higher half.
	decimalBias, decimalShift = 6176, 49
	// maxScale is the largest number of digits after the point, as the run's API says.
	maxScale = 18
)

// decimalMaker makes decimal numbers: whole ones, and where the point is.
type decimalMaker struct {
	source source
	min    int64
	// high is the higher half of the positive numbers.
	high uint64
}

func decimal(c compiler, v planv1.Value) (maker, error) {
	if v.Scale < 0 || v.Scale > maxScale {
		return nil, fmt.Errorf("scale of a Decimal128 is %d, not from 0 to %d", v.Scale, maxScale)
	}
	src, err := c.between(v)
	return &decimalMaker{source: src, min: v.Min, high: uint64(decimalBias-v.Scale) << decimalShift}, err
}

func (m *decimalMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	dst = append(dst, make([]byte, decimalBytes)...)
	m.put(dst[start:], at)
	return byte(bson.TypeDecimal128), dst
}

func (m *decimalMaker) put(value []byte, at place) {
	number, high := m.min+int64(m.source.draw(at)), m.high
	if number < 0 {
		number, high = -number, high|1<<63
	}
	binary.LittleEndian.PutUint64(value, uint64(number))
	binary.LittleEndian.PutUint64(value[8:], high)
}

func (m *decimalMaker) most() int64 { return decimalBytes }

// timestampMaker makes BSON timestamps of an instant in milliseconds: its seconds, and as the counter its milliseconds
// and 1. No counter is 0, for a server puts its own time in the place of a timestamp that is 0 altogether.
type timestampMaker struct {
	source source
	min    int64
}

// millis are those of a second.
const millis = 1000

func timestamp(c compiler, v planv1.Value) (maker, error) {
	// What counts from the load becomes a time of those before anything is made.
	if !v.FromLoad && (v.Min < 0 || v.Max > math.MaxUint32*millis) {
		return nil, errors.New("a Timestamp is of the years 1970 to 2106")
	}
	src, err := c.between(v)
	return &timestampMaker{source: src, min: v.Min}, err
}

func (m *timestampMaker) make(dst []byte, at place) (byte, []byte) {
	return byte(bson.TypeTimestamp), binary.LittleEndian.AppendUint64(dst, m.draw(at))
}

func (m *timestampMaker) put(value []byte, at place) {
	binary.LittleEndian.PutUint64(value, m.draw(at))
}

func (m *timestampMaker) draw(at place) uint64 {
	instant := uint64(m.min) + m.source.draw(at)
	return instant/millis<<32 | (instant%millis + 1)
}

func (m *timestampMaker) most() int64 { return 8 }

// regexMaker makes regular expressions of characters that stand for themselves, without options.
type regexMaker struct{ filling filling }

func regex(c compiler, v planv1.Value) (maker, error) {
	f, err := c.textFilling(v)
	return &regexMaker{filling: f}, err
}

func (m *regexMaker) make(dst []byte, at place) (byte, []byte) {
	length, p := m.filling.draw(at)
	// Two texts that end with a zero byte: the pattern and no options.
	return byte(bson.TypeRegex), append(m.filling.append(dst, length, p), 0, 0)
}

func (m *regexMaker) most() int64 { return m.filling.lengths.max + 2 }

// referenceMaker makes values of another collection's documents.
type referenceMaker struct {
	source  source
	orphans source
	// orphanShare of a hundred have a value of no document.
	orphanShare uint64
	documents   int64
	// perKey is 0 where the record is drawn.
	perKey int64
	of     maker
	// fixed is what it is of, if all of its values have the same length; else nil.
	fixed fixedMaker
}

// orphanRecord is the first record number that no collection gets to; what an ObjectID holds goes further.
const orphanRecord = 1 << 45

func (c compiler) reference(v planv1.Value) (maker, error) {
	r := v.Reference
	if r == nil || r.Documents < 1 || r.DocumentsPerKey < 0 {
		return nil, errors.New("a Reference needs a collection with documents")
	}
	if err := checkPercent("orphan", r.OrphanPercent); err != nil {
		return nil, err
	}
	if r.Of.Reference != nil {
		return nil, errors.New("a Reference cannot be of another")
	}
	of, err := compiler{seed: c.seed, label: "collection\x00" + r.Collection, tables: c.tables}.value(r.Of)
	if err != nil {
		return nil, fmt.Errorf("field %q of collection %q: %w", r.Field, r.Collection, err)
	}
	src, err := c.source(v, uint64(r.Documents))
	m := &referenceMaker{
		source: src, orphanShare: uint64(r.OrphanPercent), documents: r.Documents, perKey: r.DocumentsPerKey, of: of,
		orphans: source{stream: stream.New(c.seed+int64(v.Seed), c.label+"\x00orphan")},
	}
	if made, ok := fixed(of); ok {
		m.fixed = made
	}
	return m, err
}

func (m *referenceMaker) make(dst []byte, at place) (byte, []byte) {
	return m.of.make(dst, first(m.record(at)))
}

func (m *referenceMaker) record(at place) int64 {
	if m.orphanShare > 0 {
		point := m.orphans.point(at)
		if part, _ := bits.Mul64(uint64(point), 100); part < m.orphanShare {
			return orphanRecord + int64(point.Value(1)>>20)
		}
	}
	if m.perKey > 0 {
		return at.ordinal / m.perKey % m.documents
	}
	return int64(m.source.draw(at))
}

func (m *referenceMaker) put(value []byte, at place) {
	m.fixed.put(value, first(m.record(at)))
}

func (m *referenceMaker) most() int64 { return m.of.most() }
