package document

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

const (
	// vectorOne is 1 in the units that the elements of a vector are counted in: whole numbers are the same on every
	// processor, and have the same value as floating-point numbers of 32 and of 64 bits.
	vectorOne = 1 << 22
	// maxDimensions and maxVectorClusters are the largest numbers of dimensions and clusters, as the run's API says.
	maxDimensions, maxVectorClusters = 4096, 10_000
)

// vectorMaker makes vectors, as the embeddings of texts and pictures are.
type vectorMaker struct {
	source source
	// spread is how far an element may be from that of the center.
	spread int64
	// gathers says that there are centers, which are points of a stream: made when they are needed, they take no memory.
	gathers bool
	centers stream.Stream
	form    vectorForm
}

// vectorForm is how a vector is written.
type vectorForm struct {
	bsonType bson.Type
	// template is a vector before its elements are written: offsets are where they go.
	template []byte
	offsets  []int
	// write writes one.
	write func(at []byte, element int64)
}

func vector(c compiler, v planv1.Value) (maker, error) {
	if v.Vector == nil {
		return nil, fmt.Errorf("a %s needs dimensions", benchv1alpha1.GeneratorVector)
	}
	declared := *v.Vector
	if declared.Dimensions < 1 || declared.Dimensions > maxDimensions || declared.Clusters < 0 ||
		declared.Clusters > maxVectorClusters ||
		declared.Clusters > 0 && (declared.SpreadPercent < 1 || declared.SpreadPercent > 100) {
		return nil, fmt.Errorf("%d dimensions with %d clusters that spread over %d %% are not possible",
			declared.Dimensions, declared.Clusters, declared.SpreadPercent)
	}
	src, err := c.source(v, uint64(max(declared.Clusters, 1)))
	m := &vectorMaker{source: src, spread: vectorOne, gathers: declared.Clusters > 0}
	if m.gathers {
		m.spread = vectorOne * declared.SpreadPercent / 100
		// Those of all vectors of a plan with as many dimensions and clusters, whatever field or parameter they are of: what
		// is searched for lies where documents are.
		m.centers = stream.New(c.seed, fmt.Sprintf("vectors\x00%d\x00%d", declared.Dimensions, declared.Clusters))
	}
	m.form = vectorArray(int(declared.Dimensions))
	if declared.Float32 {
		m.form = vectorBinary(int(declared.Dimensions))
	}
	return m, err
}

func (m *vectorMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	dst = append(dst, m.form.template...)
	m.put(dst[start:], at)
	return byte(m.form.bsonType), dst
}

// put writes each element as that of the center and a distance from it, which is the sum of two draws: nearer is
// likelier. One draw of 64 bits is enough for two elements.
func (m *vectorMaker) put(value []byte, at place) {
	const half = 1 << 15
	p := m.source.point(at)
	var center stream.Point
	if m.gathers {
		center = m.centers.At(int64(m.source.draw(at)))
	}
	var random uint64
	for i, offset := range m.form.offsets {
		if random >>= 32; i%2 == 0 {
			random = p.Value(uint64(1 + i/2))
		}
		sum := int64(random&(2*half-1)) + int64(random>>16&(2*half-1))
		element := (sum - 2*half) * m.spread / (2 * half)
		if m.gathers {
			// From -1 to below 1.
			element += int64(center.Value(uint64(1+i))>>(64-23)) - vectorOne
		}
		m.form.write(value[offset:], element)
	}
}

func (m *vectorMaker) most() int64 { return int64(len(m.form.template)) }

// vectorArray is an array of doubles.
func vectorArray(dimensions int) vectorForm {
	const double = 8
	form := vectorForm{bsonType: bson.TypeArray, template: make([]byte, lengthBytes)}
	for i := range dimensions {
		form.template = append(form.template, byte(bson.TypeDouble))
		form.template = append(strconv.AppendInt(form.template, int64(i), 10), 0)
		form.offsets = append(form.offsets, len(form.template))
		form.template = append(form.template, make([]byte, double)...)
	}
	form.template = closeDocument(form.template, 0)
	form.write = func(at []byte, element int64) {
		binary.LittleEndian.PutUint64(at, math.Float64bits(float64(element)/vectorOne))
	}
	return form
}

// The start of a BSON vector of floating-point numbers of 32 bits: the type of its elements, and that no bits of the
// last one are left over. See "BSON Binary Subtype 9 - Vector" in MongoDB's specifications.
const vectorSubtype, vectorFloat32, vectorPadding = 9, 0x27, 0

// vectorBinary is a BSON vector of floating-point numbers of 32 bits.
func vectorBinary(dimensions int) vectorForm {
	const single = 4
	form := vectorForm{bsonType: bson.TypeBinary}
	form.template = binary.LittleEndian.AppendUint32(nil, uint32(2+single*dimensions))
	form.template = append(form.template, vectorSubtype, vectorFloat32, vectorPadding)
	for range dimensions {
		form.offsets = append(form.offsets, len(form.template))
		form.template = append(form.template, make([]byte, single)...)
	}
	form.write = func(at []byte, element int64) {
		binary.LittleEndian.PutUint32(at, math.Float32bits(float32(element)/vectorOne))
	}
	return form
}
