package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

// MaxCapturedBytes is how much all values of an execution of a flow may have together.
const MaxCapturedBytes = 256 << 10

// slot holds a value that was captured; of no type where there is none.
type slot struct {
	bsonType bson.Type
	value    []byte
}

func (s *slot) set(bsonType bson.Type, value []byte) {
	s.bsonType, s.value = bsonType, append(s.value[:0], value...)
}

func (s *slot) setNumber(number int64) {
	s.bsonType, s.value = bson.TypeInt64, binary.LittleEndian.AppendUint64(s.value[:0], uint64(number))
}

func (s *slot) forget() { s.bsonType, s.value = 0, s.value[:0] }

// constantSlot holds a constant; an empty one is no value.
func constantSlot(constant benchv1alpha1.Constant) (slot, error) {
	if constant == "" {
		return slot{}, nil
	}
	value, err := extjson.Parse(constant.Text())
	if err != nil {
		return slot{}, err
	}
	encoded, err := extjson.Encode(value)
	if err != nil {
		return slot{}, err
	}
	return slot{bsonType: encoded.Type, value: encoded.Value}, nil
}

// capture is what is kept of an answer, and in which slot.
type capture struct {
	slot      int
	of        benchv1alpha1.CaptureSource
	path      [][]byte
	otherwise slot
}

func compileCaptures(of *root, declared *planv1.Operation) ([]capture, error) {
	row := operation.Of(declared.Kind)
	captures := make([]capture, 0, len(declared.Captures))
	for _, one := range declared.Captures {
		if isFlow(declared) {
			return nil, errors.New("a flow has no answer of its own to capture from; its parts have")
		}
		c := capture{slot: of.names[one.Name], of: one.Of}
		switch one.Of {
		case benchv1alpha1.CaptureDocument, benchv1alpha1.CaptureDocuments:
			if !row.Answers() {
				return nil, fmt.Errorf("capture %q: a %s is not answered with documents", one.Name, declared.Kind)
			}
		case benchv1alpha1.CaptureCount, benchv1alpha1.CaptureInserted, benchv1alpha1.CaptureMatched,
			benchv1alpha1.CaptureModified, benchv1alpha1.CaptureDeleted:
		default:
			return nil, fmt.Errorf("capture %q: %q is no source", one.Name, one.Of)
		}
		if one.Path != "" {
			for key := range strings.SplitSeq(one.Path, ".") {
				c.path = append(c.path, []byte(key))
			}
		}
		var err error
		if c.otherwise, err = constantSlot(one.Otherwise); err != nil {
			return nil, fmt.Errorf("capture %q: otherwise: %w", one.Name, err)
		}
		captures = append(captures, c)
	}
	return captures, nil
}

// Taking takes what a flow captures of the documents that a request is answered with. It may be nil, and then takes
// nothing.
type Taking struct {
	frame *Frame
	part  *part
	// documents are how many came, and number the one that the server answered with, where it did.
	documents int
	number    int64
	counted   bool
	// counts says that the request counts.
	counts bool
	// err is why what came is not taken.
	err error
}

// begin forgets what came of the request before, or of an earlier attempt.
func (t *Taking) begin(p *part) {
	t.part, t.documents, t.number, t.counted, t.err = p, 0, 0, false, nil
	t.counts = t.frame.mix.operations[p.operation].fixed.Kind == operation.CountDocuments
	for i := range p.captures {
		s := &t.frame.slots[p.captures[i].slot]
		switch p.captures[i].of {
		case benchv1alpha1.CaptureDocuments:
			// A document without its length, which comes last.
			s.set(bson.TypeArray, []byte{0, 0, 0, 0})
		case benchv1alpha1.CaptureDocument:
			s.set(p.captures[i].otherwise.bsonType, p.captures[i].otherwise.value)
		default:
		}
	}
}

// Number takes a number that the server answered with.
func (t *Taking) Number(number int64) {
	if t != nil {
		t.number, t.counted = number, true
	}
}

// Batch takes the documents of an array, as it stands in a reply.
func (t *Taking) Batch(array []byte) {
	if t == nil || len(array) < lengthBytes {
		return
	}
	rest := array[lengthBytes:]
	for len(rest) > 1 {
		element, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			return
		}
		rest = after
		if value, err := element.ValueErr(); err == nil {
			t.Value(bson.Type(value.Type), value.Data)
		}
	}
}

// Document takes a document; none is nil.
func (t *Taking) Document(document []byte) {
	if t != nil && document != nil {
		t.Value(bson.TypeEmbeddedDocument, document)
	}
}

// Value takes a value that stands where others have documents.
func (t *Taking) Value(bsonType bson.Type, value []byte) {
	if t == nil {
		return
	}
	if t.counts {
		// What counts by a pipeline has the number in the document that comes.
		if numberType, number := lookUp(countPath, bsonType, value); numberType != 0 {
			t.number, t.counted = wholeNumber(numberType, number), true
		}
	}
	for i := range t.part.captures {
		t.take(&t.part.captures[i], bsonType, value)
	}
	t.documents++
}

// take keeps what a capture wants of a document.
func (t *Taking) take(c *capture, bsonType bson.Type, value []byte) {
	all := c.of == benchv1alpha1.CaptureDocuments
	if !all && (t.documents > 0 || c.of != benchv1alpha1.CaptureDocument) {
		return
	}
	foundType, found := lookUp(c.path, bsonType, value)
	if foundType == 0 {
		return
	}
	s := &t.frame.slots[c.slot]
	if all {
		s.value = append(s.value, byte(foundType))
		s.value = append(strconv.AppendInt(s.value, int64(t.documents), 10), 0)
		s.value = append(s.value, found...)
	} else {
		s.set(foundType, found)
	}
	if len(s.value) > MaxCapturedBytes {
		s.value = s.value[:lengthBytes]
		t.err = t.frame.tooLarge()
	}
}

// end completes what was taken, with what the answer counted.
func (t *Taking) end(counts Counts) error {
	for i := range t.part.captures {
		c := &t.part.captures[i]
		s := &t.frame.slots[c.slot]
		switch c.of {
		case benchv1alpha1.CaptureDocuments:
			s.value = append(s.value, 0)
			binary.LittleEndian.PutUint32(s.value, uint32(len(s.value)))
		case benchv1alpha1.CaptureCount:
			if t.counted {
				counts.Documents = t.number
			}
			s.setNumber(counts.Documents)
		case benchv1alpha1.CaptureInserted:
			s.setNumber(counts.Inserted)
		case benchv1alpha1.CaptureMatched:
			s.setNumber(counts.Matched)
		case benchv1alpha1.CaptureModified:
			s.setNumber(counts.Modified)
		case benchv1alpha1.CaptureDeleted:
			s.setNumber(counts.Deleted)
		case benchv1alpha1.CaptureDocument:
		}
	}
	if t.err == nil && t.frame.bytes() > MaxCapturedBytes {
		t.err = t.frame.tooLarge()
	}
	return t.err
}

// countPath is where a pipeline that counts has the number.
var countPath = [][]byte{[]byte("n")}

// wholeNumber is a value as a whole number, 0 if it is none.
func wholeNumber(bsonType bson.Type, value []byte) int64 {
	number, _ := bson.RawValue{Type: bsonType, Value: value}.AsInt64OK()
	return number
}

// lookUp finds the value at a path; of no type where there is none.
func lookUp(path [][]byte, bsonType bson.Type, value []byte) (bson.Type, []byte) {
	for _, key := range path {
		if bsonType != bson.TypeEmbeddedDocument && bsonType != bson.TypeArray {
			return 0, nil
		}
		if bsonType, value = member(value, key); bsonType == 0 {
			return 0, nil
		}
	}
	return bsonType, value
}

// member is the value that a document or array has under a key; of no type where there is none.
func member(of, key []byte) (bson.Type, []byte) {
	if len(of) < lengthBytes {
		return 0, nil
	}
	for rest := of[lengthBytes:]; len(rest) > 1; {
		element, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			return 0, nil
		}
		if element.CompareKey(key) {
			return valueOf(element)
		}
		rest = after
	}
	return 0, nil
}

func valueOf(element bsoncore.Element) (bson.Type, []byte) {
	value, err := element.ValueErr()
	if err != nil {
		return 0, nil
	}
	return bson.Type(value.Type), value.Data
}

// elementAt is the element of an array with this number, of no type where there is none.
func elementAt(array []byte, number int64) (bson.Type, []byte) {
	if len(array) < lengthBytes {
		return 0, nil
	}
	rest := array[lengthBytes:]
	for ; len(rest) > 1; number-- {
		element, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			return 0, nil
		}
		if number == 0 {
			return valueOf(element)
		}
		rest = after
	}
	return 0, nil
}

// lengthOf is how many elements an array has.
func lengthOf(array []byte) int {
	count := 0
	if len(array) < lengthBytes {
		return 0
	}
	for rest := array[lengthBytes:]; len(rest) > 1; count++ {
		_, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			return count
		}
		rest = after
	}
	return count
}

// conditionValue is what conditions compare of a value.
func conditionValue(bsonType bson.Type, value []byte) condition.Value {
	switch {
	case bsonType == 0 || bsonType == bson.TypeNull:
		return condition.Value{}
	case bsonType == bson.TypeBoolean && len(value) == 1:
		return condition.Truth(value[0] == 1)
	case bsonType == bson.TypeInt32 && len(value) == 4:
		return condition.Int(int64(int32(binary.LittleEndian.Uint32(value))))
	case len(value) == 8:
		return eightBytes(bsonType, binary.LittleEndian.Uint64(value), value)
	case bsonType == bson.TypeString && len(value) > lengthBytes:
		return condition.Text(value[lengthBytes : len(value)-1])
	case bsonType == bson.TypeArray:
		return condition.Other(byte(bsonType), value, lengthOf(value))
	default:
		return condition.Other(byte(bsonType), value, -1)
	}
}

// eightBytes is what conditions compare of a value of this size.
func eightBytes(bsonType bson.Type, bits uint64, value []byte) condition.Value {
	switch bsonType {
	case bson.TypeInt64:
		return condition.Int(int64(bits))
	case bson.TypeDouble:
		return condition.Double(math.Float64frombits(bits))
	case bson.TypeDateTime:
		return condition.Moment(byte(bsonType), int64(bits))
	case bson.TypeString:
		return condition.Text(value[lengthBytes : len(value)-1])
	default:
		return condition.Other(byte(bsonType), value, -1)
	}
}
