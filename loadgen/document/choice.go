package document

import (
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
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
		if choice.Weight < 1 {
			return nil, fmt.Errorf("choice %d: weight is %d, not at least 1", i, choice.Weight)
		}
		total += uint64(choice.Weight)
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
