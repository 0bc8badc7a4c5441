package infer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// leastRandom is the length from which on random texts do not repeat.
const leastRandom = 16

// identity declares a value that must not repeat, of the same type and length if there is a way.
func (i *inference) identity(path string, n *node) benchv1alpha1.Generator {
	kind, _ := n.main()
	switch kind {
	case bson.TypeObjectID:
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorObjectID}
	case bson.TypeInt32, bson.TypeInt64:
		return i.uniqueInteger(path, kind, n)
	case bson.TypeString:
		return i.uniqueText(path, n)
	case bson.TypeBinary:
		least := slices.Min(n.lengths[kind])
		switch {
		case n.uuids == n.seen:
			return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorUUID}
		case least >= leastRandom:
			return sized(benchv1alpha1.GeneratorBinary, lengthsOf(n.lengths[kind]))
		}
	default: // No other type has values enough.
	}
	i.note(path, "is of type %s, of which values that do not repeat cannot be generated: it is an ObjectID instead",
		typeName(kind))
	return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorObjectID}
}

func (i *inference) uniqueInteger(path string, kind bson.Type, n *node) benchv1alpha1.Generator {
	sorted := slices.Sorted(slices.Values(n.integers))
	first, span := sorted[0], uint64(sorted[len(sorted)-1]-sorted[0])
	step, ok := stepOf(sorted, i.about.Documents)
	if !ok {
		step = max(1, int64(min(span/uint64(max(i.about.Documents, 1)), math.MaxInt64/uint64(max(i.about.Documents, 1))/2)))
		if kind == bson.TypeInt32 {
			step = 1
		}
		i.note(path, "does not count up; the generated values do, since they must not repeat")
	}
	if first > math.MaxInt64-step*max(i.about.Documents, 1) {
		first = 0
	}
	g := counting(kind, first, step, max(i.about.Documents, 1))
	if kind == bson.TypeInt32 && g.Type == benchv1alpha1.GeneratorSequence {
		i.note(path, "has 32 bits; the generated values have 64")
	}
	return g
}

// uniqueText is a prefix with a number if the texts are such, else random if long enough, else a number as long.
func (i *inference) uniqueText(path string, n *node) benchv1alpha1.Generator {
	if serial, ok := n.serials.generator(i.about.Documents); ok {
		return i.masked(serial)
	}
	lengths := n.lengths[bson.TypeString]
	least := slices.Min(lengths)
	if least >= leastRandom {
		return sized(benchv1alpha1.GeneratorString, lengthsOf(lengths))
	}
	digits := int32(max(1, least, int64(len(strconv.FormatInt(max(i.about.Documents-1, 0), 10)))))
	i.note(path, "are texts too short to be random without repeating: the generated ones are numbers")
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorSerial, Serial: &benchv1alpha1.SerialSettings{Digits: &digits},
	}
}

// lengthsOf are at least as long as what does not repeat.
func lengthsOf(lengths []int64) *benchv1alpha1.BytesSettings {
	least, largest, _ := middle(lengths)
	least = max(least, leastRandom)
	return &benchv1alpha1.BytesSettings{MinLength: new(int32(least)), MaxLength: new(int32(max(largest, least)))}
}

// serials are texts that all end in a number, after the same prefix.
type serials struct {
	started, spoiled bool
	prefix           string
	// least and most digits, and the largest number.
	least, most int
	largest     float64
}

func (s *serials) add(text string) {
	prefix := strings.TrimRight(text, "0123456789")
	digits := text[len(prefix):]
	if !s.started {
		s.started, s.prefix, s.least = true, prefix, len(digits)
	}
	if digits == "" || prefix != s.prefix || len(prefix) > longestPrefix {
		s.spoiled = true
		return
	}
	s.least, s.most = min(s.least, len(digits)), max(s.most, len(digits))
	number, _ := strconv.ParseFloat(digits, 64)
	s.largest = max(s.largest, number)
}

const (
	// longestPrefix is the API's limit.
	longestPrefix = 64
	// hashDigits are the fewest digits that the largest of many hashes has.
	hashDigits = 17
	// dense is how many numbers there may be to each document for a counted one.
	dense = 1.1
)

// generator is false when the texts are no such.
func (s *serials) generator(documents int64) (benchv1alpha1.Generator, bool) {
	counted := s.largest <= dense*float64(max(documents, 1))
	if !s.started || s.spoiled || !counted && s.most < hashDigits {
		return benchv1alpha1.Generator{}, false
	}
	settings := &benchv1alpha1.SerialSettings{}
	if s.prefix != "" {
		settings.Prefix = new(s.prefix)
	}
	if s.least == s.most && s.least > 1 {
		settings.Digits = new(int32(min(s.least, 100)))
	}
	if !counted {
		settings.Order = new(benchv1alpha1.SerialHashed)
	}
	return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorSerial, Serial: settings}, true
}

// masked replaces a prefix that may not be in the result.
func (i *inference) masked(g benchv1alpha1.Generator) benchv1alpha1.Generator {
	if i.sample.settings.NoValues && g.Serial.Prefix != nil {
		g.Serial.Prefix = new(strings.Repeat("x", len(*g.Serial.Prefix)))
	}
	return g
}
