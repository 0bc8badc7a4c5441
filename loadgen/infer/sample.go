package infer

import (
	"fmt"
	"hash/maphash"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	// shortValue is the longest value, in bytes, that a Choice may hold.
	shortValue = 256
	// textBytes of the values of a field are kept to see how well they compress.
	textBytes = 64 << 10
)

// Settings say what may be in the result.
type Settings struct {
	// MaxChoices is the largest number of values of a Choice, at most 256.
	MaxChoices int
	// NoValues replaces the values of Choices, and the prefixes of texts, by made-up ones.
	NoValues bool
	// Now, unless it is zero, is when the sample is taken: dates are declared by how far they lie from it.
	Now time.Time
}

// Sample takes in documents of a collection, one by one, and keeps what is to be known of them.
type Sample struct {
	settings  Settings
	root      *node
	documents int64
	bytes     int64
}

// NewSample is a sample without documents.
func NewSample(settings Settings) *Sample {
	return &Sample{settings: settings, root: &node{}}
}

// Documents is the number of documents that the sample has.
func (s *Sample) Documents() int64 {
	return s.documents
}

// AverageBytes is the average size of the documents, rounded.
func (s *Sample) AverageBytes() int64 {
	return (s.bytes + s.documents/2) / max(s.documents, 1)
}

// Add takes in a document.
func (s *Sample) Add(document bson.Raw) error {
	if err := document.Validate(); err != nil {
		return fmt.Errorf("document %d of the sample: %w", s.documents, err)
	}
	s.documents++
	s.bytes += int64(len(document))
	s.root.addFields(document, s.settings.MaxChoices)
	return nil
}

// node is what was seen at one place of the documents: a field, or the elements of an array.
type node struct {
	name string
	// seen is the number of values; types of them.
	seen  int64
	types map[bson.Type]int64
	// fields of documents, in the order in which they were first seen, and elements of arrays.
	fields   []*node
	elements *node
	// integers, dates in milliseconds and doubles are the values; lengths are those of texts, binaries and arrays.
	integers, dates []int64
	doubles         []float64
	lengths         map[bson.Type][]int64
	// trues are the booleans that are true, uuids the binaries that are UUIDs.
	trues, uuids int64
	// choices are the values and how often each was seen, until they are too many or too long for a Choice.
	choices  map[string]int64
	tooMany  bool
	hashes   map[uint64]struct{}
	text     []byte
	serials  serials
	unusable int64
	decimals decimals
	points   points
	texts    texts
}

// hashSeed is of this process; hashes never leave it.
var hashSeed = maphash.MakeSeed()

func (n *node) addFields(document bson.Raw, maxChoices int) {
	elements, _ := document.Elements() // Validated before.
	for _, element := range elements {
		n.field(element.Key()).add(element.Value(), maxChoices)
	}
}

func (n *node) field(name string) *node {
	for _, field := range n.fields {
		if field.name == name {
			return field
		}
	}
	field := &node{name: name}
	n.fields = append(n.fields, field)
	return field
}

// add takes in one value.
func (n *node) add(value bson.RawValue, maxChoices int) {
	if n.types == nil {
		n.types, n.lengths = map[bson.Type]int64{}, map[bson.Type][]int64{}
		n.choices, n.hashes = map[string]int64{}, map[uint64]struct{}{}
	}
	n.seen++
	n.types[value.Type]++
	n.count(value, maxChoices)
	switch value.Type {
	case bson.TypeEmbeddedDocument:
		n.points.add(value.Document())
		n.addFields(value.Document(), maxChoices)
	case bson.TypeArray:
		n.addElements(value.Array(), maxChoices)
	case bson.TypeInt32, bson.TypeInt64:
		n.integers = append(n.integers, value.AsInt64())
	case bson.TypeDateTime:
		n.dates = append(n.dates, value.DateTime())
	case bson.TypeString, bson.TypeBinary:
		n.addText(value)
	default:
		n.addScalar(value)
	}
}

func (n *node) addScalar(value bson.RawValue) {
	switch value.Type {
	case bson.TypeDouble:
		n.addDouble(value.Double())
	case bson.TypeDecimal128:
		n.decimals.add(value.Decimal128())
	case bson.TypeTimestamp:
		seconds, _ := value.Timestamp()
		const millis = 1000
		n.dates = append(n.dates, int64(seconds)*millis)
	case bson.TypeBoolean:
		if value.Boolean() {
			n.trues++
		}
	default: // Of ObjectIDs and the rarer types there is nothing more to know.
	}
}

func (n *node) addText(value bson.RawValue) {
	if text, ok := value.StringValueOK(); ok {
		n.serials.add(text)
		n.texts.add(text)
		n.addBytes(value.Type, []byte(text))
		return
	}
	subtype, content := value.Binary()
	if subtype == bson.TypeBinaryUUID && len(content) == uuidBytes {
		n.uuids++
	}
	n.addBytes(value.Type, content)
}

// count keeps the value for a Choice, and its hash for the cardinality.
func (n *node) count(value bson.RawValue, maxChoices int) {
	key := string(append([]byte{byte(value.Type)}, value.Value...))
	n.hashes[maphash.String(hashSeed, key)] = struct{}{}
	if n.tooMany {
		return
	}
	n.choices[key]++
	if len(n.choices) > maxChoices || len(key) > shortValue {
		n.tooMany, n.choices = true, nil
	}
}

func (n *node) addElements(array bson.RawArray, maxChoices int) {
	values, _ := array.Values() // Validated before.
	n.lengths[bson.TypeArray] = append(n.lengths[bson.TypeArray], int64(len(values)))
	if n.elements == nil {
		n.elements = &node{}
	}
	for _, value := range values {
		n.elements.add(value, maxChoices)
	}
}

func (n *node) addBytes(kind bson.Type, content []byte) {
	n.lengths[kind] = append(n.lengths[kind], int64(len(content)))
	n.text = append(n.text, content[:min(len(content), textBytes-len(n.text))]...)
}

// cardinality is the number of different values in the sample.
func (n *node) cardinality() int64 {
	return int64(len(n.hashes))
}

// main is the type that most values have, null only when there is no other.
func (n *node) main() (main bson.Type, share int64) {
	for kind, count := range n.types {
		better := count > share || count == share && kind < main
		if kind == bson.TypeNull && len(n.types) > 1 {
			continue
		}
		if better {
			main, share = kind, count
		}
	}
	return main, share
}
