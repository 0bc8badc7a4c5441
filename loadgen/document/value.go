package document

import (
	"errors"
	"fmt"
	"math/bits"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
	"github.com/mongobench/mongobench-operator/loadgen/records"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// place is where a value stands: what it is a function of, besides its own settings.
type place struct {
	// record is the record number, or the number of an operation.
	record int64
	// variant tells apart the revisions of a document and the elements of an array; 0 is the first revision.
	variant uint64
	// ordinal counts the values of one maker: the record number, or with an array the running number of the element.
	ordinal int64
}

// first is the place of a record in its first revision.
func first(record int64) place {
	return place{record: record, ordinal: record}
}

// maker appends one value. It returns its BSON type, which the caller writes in front of the name.
type maker interface {
	make(dst []byte, at place) (byte, []byte)
	// most is the number of bytes of the longest value.
	most() int64
}

// source is the randomness of one maker: its stream, and the distribution over its range.
type source struct {
	stream stream.Stream
	dist   keydist.Distribution
	// items, unless 0, is the number of items of a uniform distribution, which is quicker drawn from right here.
	items uint64
}

func (s *source) point(at place) stream.Point {
	p := s.stream.At(at.record)
	if at.variant != 0 {
		return p.Child(at.variant)
	}
	return p
}

// draw is the item of the range at a place.
func (s *source) draw(at place) uint64 {
	if s.items != 0 {
		item, _ := bits.Mul64(uint64(s.point(at)), s.items)
		return item
	}
	return s.dist.Draw(uint64(s.point(at)), at.ordinal)
}

// compiler turns the values of a plan into makers. The label keeps collections, and the steps of a workload, apart.
type compiler struct {
	seed  int64
	label string
	// tables are what was read of files, by their names.
	tables Tables
}

// scalars are the compilers of the types that hold no other values.
var scalars = map[benchv1alpha1.GeneratorType]func(c compiler, v planv1.Value) (maker, error){
	benchv1alpha1.GeneratorDecimal:   decimal,
	benchv1alpha1.GeneratorTimestamp: timestamp,
	benchv1alpha1.GeneratorRegex:     regex,
	benchv1alpha1.GeneratorGeoPoint:  geoPoint,
	benchv1alpha1.GeneratorWords:     words,
	benchv1alpha1.GeneratorFake:      fake,
	benchv1alpha1.GeneratorObjectID:  compiler.objectID,
	benchv1alpha1.GeneratorSequence:  compiler.sequence,
	benchv1alpha1.GeneratorInt:       compiler.int32,
	benchv1alpha1.GeneratorLong:      compiler.int64,
	benchv1alpha1.GeneratorDouble:    compiler.double,
	benchv1alpha1.GeneratorBool:      compiler.bool,
	benchv1alpha1.GeneratorDate:      compiler.date,
	benchv1alpha1.GeneratorString:    compiler.text,
	benchv1alpha1.GeneratorBinary:    compiler.binary,
	benchv1alpha1.GeneratorUUID:      compiler.uuid,
	benchv1alpha1.GeneratorChoice:    compiler.choice,
	benchv1alpha1.GeneratorSerial:    compiler.serial,
	benchv1alpha1.GeneratorFromFile:  compiler.fromFile,
	benchv1alpha1.GeneratorVector:    vector,
}

// value compiles a value, of which some may be null.
func (c compiler) value(v planv1.Value) (maker, error) {
	made, err := c.always(v)
	if err != nil {
		return nil, err
	}
	return c.nullable(v, made)
}

// always compiles a value without regard to nulls.
func (c compiler) always(v planv1.Value) (maker, error) {
	if compile, ok := scalars[v.Type]; ok {
		return compile(c, v)
	}
	switch v.Type {
	case benchv1alpha1.GeneratorDocument:
		return c.document(v)
	case benchv1alpha1.GeneratorArray:
		return c.array(v)
	case benchv1alpha1.GeneratorReference:
		return c.reference(v)
	case planv1.TypeKey:
		return nil, errors.New("type Key is for the parameters of operations only")
	default:
		return nil, fmt.Errorf("type %q is not known", v.Type)
	}
}

// stream is the stream of a value: values with equal settings and seeds, in one collection, are equal.
func (c compiler) stream(v planv1.Value) stream.Stream {
	return stream.New(c.seed+int64(v.Seed), c.label)
}

// source draws from n items; an n of 0 stands for 2^64.
func (c compiler) source(v planv1.Value, n uint64) (source, error) {
	dist, err := keydist.New(v.Distribution, n)
	if err != nil {
		return source{}, err
	}
	src := source{stream: c.stream(v), dist: dist}
	if uniform := benchv1alpha1.DistributionUniform; v.Distribution.Type == "" || v.Distribution.Type == string(uniform) {
		src.items = n
	}
	return src, nil
}

// between draws from the items from Min to Max, both inclusive.
func (c compiler) between(v planv1.Value) (source, error) {
	if v.Min > v.Max {
		return source{}, fmt.Errorf("min %d is more than max %d", v.Min, v.Max)
	}
	return c.source(v, uint64(v.Max)-uint64(v.Min)+1)
}

// Value makes values that belong to no document: the parameters of operations.
type Value struct {
	maker maker
}

// CompileValue compiles one value of its own. The label keeps its values apart from those of other labels.
func CompileValue(planSeed int64, label string, v planv1.Value, read ...*records.Table) (*Value, error) {
	m, err := compiler{seed: planSeed, label: "value\x00" + label, tables: byName(read)}.value(v)
	if err != nil {
		return nil, err
	}
	return &Value{maker: m}, nil
}

// Append appends the value with this number and returns its BSON type too.
func (v *Value) Append(dst []byte, number int64) (byte, []byte) {
	return v.maker.make(dst, first(number))
}
