package ftdc

import (
	"hash/maphash"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// deepest bounds how deep a sample is looked into: servers look ten deep themselves.
const deepest = 20

// seed of the hashes of this process.
var seed = maphash.MakeSeed()

// flatten appends the metrics of a sample, and returns a hash of their names and kinds: samples with the same one have
// the same metrics. False: it is no proper document.
func flatten(into []uint64, sample bson.Raw) (metrics []uint64, names uint64, ok bool) {
	f := flattening{metrics: into}
	f.hash.SetSeed(seed)
	ok = f.document(sample, 0)
	return f.metrics, f.hash.Sum64(), ok
}

type flattening struct {
	metrics []uint64
	hash    maphash.Hash
}

// Kinds of elements in a hash, beside the types of BSON. All numbers are of one: a counter may begin as a short number
// and become a long one. What is no metric is not in it.
const (
	kindNumber = 0xf0 + iota
	kindOpen
	kindClose
)

func (f *flattening) document(document bson.Raw, depth int) bool {
	elements, err := document.Elements()
	if err != nil || depth > deepest {
		return false
	}
	for _, element := range elements {
		if !f.element(element.Key(), element.Value(), depth) {
			return false
		}
	}
	return true
}

func (f *flattening) element(key string, value bson.RawValue, depth int) bool {
	switch value.Type {
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		f.name(key, kindOpen)
		if !f.document(bson.Raw(value.Value), depth+1) {
			return false
		}
		f.name("", kindClose)
	case bson.TypeDouble:
		f.number(key, whole(value.Double()))
	case bson.TypeInt32:
		f.number(key, int64(value.Int32()))
	case bson.TypeInt64:
		f.number(key, value.Int64())
	case bson.TypeDecimal128:
		// No sample of a server has one.
		f.number(key, 0)
	case bson.TypeBoolean:
		f.name(key, byte(value.Type))
		f.add(truth(value.Boolean()))
	case bson.TypeDateTime:
		f.name(key, byte(value.Type))
		f.add(value.DateTime())
	case bson.TypeTimestamp:
		f.name(key, byte(value.Type))
		seconds, ordinal := value.Timestamp()
		f.add(int64(seconds))
		f.add(int64(ordinal))
	default:
		// It is no metric.
	}
	return true
}

func (f *flattening) name(key string, kind byte) {
	_, _ = f.hash.WriteString(key)
	_ = f.hash.WriteByte(kind)
}

func (f *flattening) number(key string, number int64) {
	f.name(key, kindNumber)
	f.add(number)
}

func (f *flattening) add(metric int64) { f.metrics = append(f.metrics, uint64(metric)) }

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// whole is a number as servers cut it off: the nearest of the range, and 0 for what is none.
func whole(number float64) int64 {
	switch {
	case math.IsNaN(number):
		return 0
	case number >= math.MaxInt64:
		return math.MaxInt64
	case number <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(number)
	}
}
