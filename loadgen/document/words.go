package document

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/vocabulary"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// maxWords is the largest number of words, as the run's API says.
const maxWords = 100_000

// wordsMaker makes sentences.
type wordsMaker struct {
	stream  stream.Stream
	lengths lengths
	// languages has one, or those that each value takes one of.
	languages []*vocabulary.Words
	longest   int64
}

func words(c compiler, v planv1.Value) (maker, error) {
	l, err := c.lengths(v, maxWords)
	if err != nil {
		return nil, err
	}
	m := &wordsMaker{stream: c.stream(v), lengths: l}
	if m.languages, err = vocabulary.Of(v.Language); err != nil {
		return nil, err
	}
	for _, language := range m.languages {
		m.longest = max(m.longest, int64(language.Longest))
	}
	return m, nil
}

func (m *wordsMaker) make(dst []byte, at place) (byte, []byte) {
	p := (&source{stream: m.stream}).point(at)
	language := m.languages[0]
	if len(m.languages) > 1 {
		language = pick(m.languages, p.Value(1))
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendWords(dst, m.lengths.draw(uint64(p), at.ordinal), language, p)
	return byte(bson.TypeString), closeText(dst, start)
}

// The random values of a point from wordsFrom on choose four words each, and those from marksFrom on say of eight words
// each where sentences end, and what is followed by a comma.
const (
	wordsFrom = 2
	marksFrom = 1 << 32
)

// A sentence has 4 to 19 words, and one in eight words is followed by a comma.
const (
	fewestWords  = 4
	sentenceMask = 15
	commaMask    = 7 << 4
)

// appendWords appends so many words in sentences.
func appendWords(dst []byte, count int, w *vocabulary.Words, p stream.Point) []byte {
	left, random, marks := 0, uint64(0), uint64(0)
	for i := range count {
		if i%4 == 0 {
			random = p.Value(wordsFrom + uint64(i)/4)
		}
		if i%8 == 0 {
			marks = p.Value(marksFrom + uint64(i)/8)
		}
		word := &w.Lower[w.Draw[random%vocabulary.Choices]]
		if left == 0 {
			left = fewestWords + int(marks&sentenceMask)
			word = &w.Capital[w.Draw[random%vocabulary.Choices]]
		}
		dst = word.Append(dst)
		left--
		if i == count-1 {
			return append(dst[:len(dst)-len(w.Space)], w.Last...)
		}
		if left == 0 {
			dst = append(dst[:len(dst)-len(w.Space)], w.Stop...)
		} else if marks&commaMask == 0 {
			dst = append(dst[:len(dst)-len(w.Space)], w.Comma...)
		}
		random >>= 16
		marks >>= 8
	}
	return dst
}

// most counts the length and the zero byte too.
func (m *wordsMaker) most() int64 { return m.lengths.max*m.longest + frameBytes }

// closeText ends the text that begins at start, where room for its length was left.
func closeText(dst []byte, start int) []byte {
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-lengthBytes))
	return dst
}
