package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// choiceMaker picks one of several values, each encoded beforehand.
type choiceMaker struct {
	source  source
	choices []encodedChoice
}

// encodedChoice gets the items below its bound that are not below the bound before.
type encodedChoice struct {
	bound    uint64
	bsonType byte
	value    []byte
}

func (c compiler) choice(v planv1.Value) (maker, error) {
	if len(v.Choices) == 0 {
		return nil, errors.New("a Choice needs values to choose from")
	}
	m := &choiceMaker{}
	var total uint64
	for i, choice := range v.Choices {
		weight := ptr.Deref(choice.Weight, 0)
		if weight < 1 {
			return nil, fmt.Errorf("choice %d: weight is %d, not at least 1", i, weight)
		}
		total += uint64(weight)
		encoded, err := encodeChoice(choice.Value)
		if err != nil {
			return nil, fmt.Errorf("choice %d: %w", i, err)
		}
		encoded.bound = total
		m.choices = append(m.choices, encoded)
	}
	src, err := c.source(v, total)
	m.source = src
	return m, err
}

func encodeChoice(text string) (encodedChoice, error) {
	parsed, err := extjson.Parse(text)
	if err != nil {
		return encodedChoice{}, err
	}
	value, err := extjson.Encode(parsed)
	if err != nil {
		return encodedChoice{}, err
	}
	return encodedChoice{bsonType: byte(value.Type), value: value.Value}, nil
}

func (m *choiceMaker) make(dst []byte, at place) (byte, []byte) {
	item := m.source.draw(at)
	low, high := 0, len(m.choices)-1
	for low < high {
		middle := (low + high) / 2
		if item < m.choices[middle].bound {
			high = middle
		} else {
			low = middle + 1
		}
	}
	chosen := &m.choices[low]
	return chosen.bsonType, append(dst, chosen.value...)
}

func (m *choiceMaker) most() int64 {
	longest := 0
	for i := range m.choices {
		longest = max(longest, len(m.choices[i].value))
	}
	return int64(longest)
}

// poolBytes is the size of each pool. It is well above the pages that servers compress (32 KiB to a few MiB), so that
// hardly any page holds the same bytes twice, and it exceeds the longest value.
const poolBytes = 16 << 20

// alphabet has 64 printable characters, so that 6 random bits choose one.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// The pools. Each is made at first use and never changed. Plans with other seeds cut other windows from the same
// pools.
var (
	binaryPool = sync.OnceValue(func() []byte {
		return filled(stream.New(0, "binary pool").At(0), fillRandom)
	})
	textPool = sync.OnceValue(func() []byte {
		return filled(stream.New(0, "text pool").At(0), fillText)
	})
)

func filled(p stream.Point, fill func([]byte, stream.Point)) []byte {
	pool := make([]byte, poolBytes)
	fill(pool, p)
	return pool
}

// pairs has for every 12 bits the two characters that they choose, the first in the lower byte.
var pairs = func() (pairs [1 << 12]uint16) {
	for x := range pairs {
		pairs[x] = uint16(alphabet[x&63]) | uint16(alphabet[x>>6])<<8
	}
	return pairs
}()

// fillRandom overwrites with random bytes: the further values of the point.
func fillRandom(dst []byte, p stream.Point) {
	p.Fill(dst)
}

// fillText overwrites with random characters of the alphabet, 8 for each further value of the point.
func fillText(dst []byte, p stream.Point) {
	index := uint64(1)
	for len(dst) >= 8 {
		x := p.Value(index)
		binary.LittleEndian.PutUint64(dst, uint64(pairs[x&0xfff])|uint64(pairs[x>>12&0xfff])<<16|
			uint64(pairs[x>>24&0xfff])<<32|uint64(pairs[x>>36&0xfff])<<48)
		dst = dst[8:]
		index++
	}
	last := p.Value(index)
	for i := range dst {
		dst[i] = alphabet[last&63]
		last >>= 6
	}
}

// appendFiller appends n bytes of filler.
func appendFiller(dst []byte, n int) []byte {
	// The byte that a compressible share repeats, as often as it is copied at once.
	const chunk = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	for n > len(chunk) {
		dst = append(dst, chunk...)
		n -= len(chunk)
	}
	return append(dst, chunk[:n]...)
}
