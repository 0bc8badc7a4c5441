package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// maxItems is the largest number of elements of an array, as the run's API says.
const maxItems = 10_000

// documentMaker makes documents, nested ones and whole ones.
type documentMaker struct {
	fields []field
	// runs are the fields once more, as they are made.
	runs []run
	// sample is any such document, when all are equally long and of one run; else nil.
	sample []byte
}

// field is one field of a document.
type field struct {
	name string
	// header is a zero byte for the type, the name, and the zero byte at its end.
	header []byte
	maker  maker
	// fixed keeps the value the same in every revision.
	fixed bool
}

func (c compiler) document(v planv1.Value) (maker, error) {
	if len(v.Fields) == 0 {
		return nil, errors.New("a Document needs fields")
	}
	return c.fields(v.Fields)
}

// fields compiles fields whose names may have dots.
func (c compiler) fields(fields []planv1.Field) (*documentMaker, error) {
	root, err := nest(fields)
	if err != nil {
		return nil, err
	}
	return c.branch(root)
}

func (c compiler) branch(root *branch) (*documentMaker, error) {
	m := &documentMaker{}
	for _, child := range root.children {
		f := field{name: child.name, header: append(append([]byte{0}, child.name...), 0)}
		if child.leaf == nil {
			nested, err := c.branch(child)
			if err != nil {
				return nil, err
			}
			f.maker = nested
		} else {
			made, err := c.value(child.leaf.Value)
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", child.leaf.Name, err)
			}
			if f.maker, err = c.present(child.leaf.Value, made); err != nil {
				return nil, fmt.Errorf("field %q: %w", child.leaf.Name, err)
			}
		}
		m.fields = append(m.fields, f)
	}
	m.split()
	return m, nil
}

func (m *documentMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	if m.sample != nil {
		dst = append(dst, m.sample...)
		m.put(dst[start:], at)
		return byte(bson.TypeEmbeddedDocument), dst
	}
	dst = append(dst, 0, 0, 0, 0)
	for i := range m.runs {
		dst = m.runs[i].append(dst, at)
	}
	return byte(bson.TypeEmbeddedDocument), closeDocument(dst, start)
}

// put overwrites a document whose fields all have values of the same length: it is one run after its own length.
func (m *documentMaker) put(value []byte, at place) {
	m.runs[0].put(value[lengthBytes:], at)
}

// lengthBytes is the size of a document's length, which comes first in it.
const lengthBytes = 4

// frameBytes are the length of a document and the zero byte at its end.
const frameBytes = 5

func (m *documentMaker) most() int64 {
	most := int64(frameBytes)
	for i := range m.fields {
		most += int64(len(m.fields[i].header)) + m.fields[i].maker.most()
	}
	return most
}

// place is where the field stands in a document that stands at a place.
func (f *field) place(at place) place {
	if f.fixed {
		return first(at.record)
	}
	return at
}

// closeDocument ends the document that begins at start, where room for its length was left.
func closeDocument(dst []byte, start int) []byte {
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// arrayMaker makes arrays of elements of one kind.
type arrayMaker struct {
	stream  stream.Stream
	lengths lengths
	element maker
}

func (c compiler) array(v planv1.Value) (maker, error) {
	if v.Element == nil {
		return nil, errors.New("an Array needs an element")
	}
	l, err := c.lengths(v, maxItems)
	if err != nil {
		return nil, err
	}
	element, err := c.value(*v.Element)
	if err != nil {
		return nil, fmt.Errorf("element: %w", err)
	}
	return &arrayMaker{stream: c.stream(v), lengths: l, element: element}, nil
}

func (m *arrayMaker) make(dst []byte, at place) (byte, []byte) {
	p := (&source{stream: m.stream}).point(at)
	items := m.lengths.draw(uint64(p), at.ordinal)
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i := range items {
		header := len(dst)
		dst = append(dst, 0)
		dst = append(strconv.AppendInt(dst, int64(i), 10), 0)
		var bsonType byte
		bsonType, dst = m.element.make(dst, place{
			record:  at.record,
			variant: uint64(stream.Point(at.variant).Child(uint64(i))),
			ordinal: at.ordinal*m.lengths.max + int64(i),
		})
		dst[header] = bsonType
	}
	return byte(bson.TypeArray), closeDocument(dst, start)
}

func (m *arrayMaker) most() int64 {
	// A type, up to four digits and a zero byte before each element.
	const header = 6
	return frameBytes + m.lengths.max*(header+m.element.most())
}
