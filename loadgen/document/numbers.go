package document

import (
	"encoding/binary"
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
)

// sequence is start + step × record number, whatever the revision.
type sequence struct{ start, step int64 }

func (c compiler) sequence(v planv1.Value) (maker, error) {
	return sequence{start: v.Start, step: v.Step}, nil
}

func (s sequence) make(dst []byte, at place) (byte, []byte) {
	return byte(bson.TypeInt64), binary.LittleEndian.AppendUint64(dst, uint64(s.start+s.step*at.record))
}

func (s sequence) put(value []byte, at place) {
	binary.LittleEndian.PutUint64(value, uint64(s.start+s.step*at.record))
}

func (s sequence) most() int64 { return 8 }

// int32Maker makes integers of 32 bits.
type int32Maker struct {
	source source
	min    int64
}

func (c compiler) int32(v planv1.Value) (maker, error) {
	if v.Min < math.MinInt32 || v.Max > math.MaxInt32 {
		return nil, fmt.Errorf("min %d or max %d of an Int does not fit into 32 bits", v.Min, v.Max)
	}
	src, err := c.between(v)
	return &int32Maker{source: src, min: v.Min}, err
}

func (m *int32Maker) make(dst []byte, at place) (byte, []byte) {
	return byte(bson.TypeInt32), binary.LittleEndian.AppendUint32(dst, uint32(m.min+int64(m.source.draw(at))))
}

func (m *int32Maker) put(value []byte, at place) {
	binary.LittleEndian.PutUint32(value, uint32(m.min+int64(m.source.draw(at))))
}

func (m *int32Maker) most() int64 { return 4 }

// int64Maker makes what 64 bits hold: a Long, or a Date in milliseconds since 1970.
type int64Maker struct {
	source   source
	min      int64
	bsonType byte
}

func (c compiler) int64(v planv1.Value) (maker, error) {
	src, err := c.between(v)
	return &int64Maker{source: src, min: v.Min, bsonType: byte(bson.TypeInt64)}, err
}

func (c compiler) date(v planv1.Value) (maker, error) {
	src, err := c.between(v)
	return &int64Maker{source: src, min: v.Min, bsonType: byte(bson.TypeDateTime)}, err
}

func (m *int64Maker) make(dst []byte, at place) (byte, []byte) {
	return m.bsonType, binary.LittleEndian.AppendUint64(dst, uint64(m.min)+m.source.draw(at))
}

func (m *int64Maker) put(value []byte, at place) {
	binary.LittleEndian.PutUint64(value, uint64(m.min)+m.source.draw(at))
}

func (m *int64Maker) most() int64 { return 8 }

// doubleItems is the number of equal parts that the range of a Double is cut into: as many as a share of 1 can tell
// apart.
const doubleItems = 1 << 53

// doubleMaker makes floating-point numbers from min to below max.
type doubleMaker struct {
	source   source
	min, max float64
}

func (c compiler) double(v planv1.Value) (maker, error) {
	// Written so that it also refuses NaN, and a range too wide to be a number itself.
	if !(v.MinDouble <= v.MaxDouble) || math.IsInf(v.MaxDouble-v.MinDouble, 0) {
		return nil, fmt.Errorf("min %v and max %v are no range of a Double", v.MinDouble, v.MaxDouble)
	}
	src, err := c.source(v, doubleItems)
	return &doubleMaker{source: src, min: v.MinDouble, max: v.MaxDouble}, err
}

func (m *doubleMaker) make(dst []byte, at place) (byte, []byte) {
	return byte(bson.TypeDouble), binary.LittleEndian.AppendUint64(dst, math.Float64bits(m.draw(at)))
}

func (m *doubleMaker) put(value []byte, at place) {
	binary.LittleEndian.PutUint64(value, math.Float64bits(m.draw(at)))
}

func (m *doubleMaker) draw(at place) float64 {
	share := float64(m.source.draw(at)) / doubleItems
	// The conversion keeps the compiler from fusing the multiplication, which would change bits on some processors.
	x := m.min + float64(share*(m.max-m.min))
	if x >= m.max && m.min < m.max {
		x = math.Nextafter(m.max, m.min)
	}
	return x
}

func (m *doubleMaker) most() int64 { return 8 }

// boolMaker is true for the first items of a hundred.
type boolMaker struct {
	source source
	trues  uint64
}

func (c compiler) bool(v planv1.Value) (maker, error) {
	if err := checkPercent("true", v.TruePercent); err != nil {
		return nil, err
	}
	src, err := c.source(v, 100)
	return &boolMaker{source: src, trues: uint64(v.TruePercent)}, err
}

func (m *boolMaker) make(dst []byte, at place) (byte, []byte) {
	return byte(bson.TypeBoolean), append(dst, m.draw(at))
}

func (m *boolMaker) put(value []byte, at place) {
	value[0] = m.draw(at)
}

func (m *boolMaker) draw(at place) byte {
	if m.source.draw(at) < m.trues {
		return 1
	}
	return 0
}

func (m *boolMaker) most() int64 { return 1 }

func checkPercent(what string, percent int) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("%s percent is %d, not from 0 to 100", what, percent)
	}
	return nil
}

// lengths draws the length of a value or array.
type lengths struct {
	min  uint64
	max  int64
	dist keydist.Distribution
}

func (c compiler) lengths(v planv1.Value, limit int64) (lengths, error) {
	if v.Min < 0 || v.Min > v.Max || v.Max > limit {
		return lengths{}, fmt.Errorf("lengths %d to %d are not a range within 0 to %d", v.Min, v.Max, limit)
	}
	dist, err := keydist.New(v.Distribution, uint64(v.Max-v.Min)+1)
	return lengths{min: uint64(v.Min), max: v.Max, dist: dist}, err
}

// fixed says whether there is only one length.
func (l *lengths) fixed() bool {
	return int64(l.min) == l.max
}

func (l *lengths) draw(r uint64, ordinal int64) int {
	return int(l.min + l.dist.Draw(r, ordinal))
}
