package infer

import (
	"bytes"
	"compress/flate"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const uuidBytes = 16

// generator declares how one value is made.
func (i *inference) generator(path string, n *node) benchv1alpha1.Generator {
	if i.unique[path] {
		return i.identity(path, n)
	}
	kind, _ := n.main()
	if n.fitsChoice() && !n.fillsRange() && kind != bson.TypeBoolean {
		return i.choice(path, n)
	}
	i.noteRepetitions(path, n)
	if made, ok := ofRange[kind]; ok {
		return made(i, path, n)
	}
	switch kind {
	case bson.TypeObjectID:
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorObjectID}
	case bson.TypeNull:
		return constant(nullConstant)
	case bson.TypeRegex:
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorRegex}
	case bson.TypeEmbeddedDocument:
		if n.arePoints() {
			return geoPoint(i, path, n)
		}
		return constant("{}")
	default:
		i.note(path, "is of type %s, which cannot be generated: it is a Long instead", typeName(kind))
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorLong}
	}
}

// ofRange are the types whose values are drawn from a range.
var ofRange = map[bson.Type]func(i *inference, path string, n *node) benchv1alpha1.Generator{
	bson.TypeInt32:    (*inference).integer,
	bson.TypeInt64:    (*inference).integer,
	bson.TypeDouble:   (*inference).double,
	bson.TypeBoolean:  (*inference).boolean,
	bson.TypeDateTime: (*inference).date,
	bson.TypeString:   (*inference).text,
	bson.TypeBinary:   (*inference).binary,

	bson.TypeDecimal128: decimal128,
	bson.TypeTimestamp:  timestamp,
}

// noteRepetitions says that values which come back again and again are too many for a Choice.
func (i *inference) noteRepetitions(path string, n *node) {
	kind, _ := n.main()
	ranged := kind == bson.TypeInt32 || kind == bson.TypeInt64 || kind == bson.TypeBoolean || kind == bson.TypeNull
	if many := n.cardinality(); !ranged && many > 1 && 2*many < n.seen {
		i.note(path, "has %d different values in a sample of %d; the generated ones hardly repeat", many, n.seen)
	}
}

// integer draws from a range, or counts up if the values do.
func (i *inference) integer(path string, n *node) benchv1alpha1.Generator {
	kind, _ := n.main()
	sorted := slices.Sorted(slices.Values(n.integers))
	if step, ok := stepOf(sorted, i.about.Documents); ok && n.seen == i.sample.documents {
		return counting(kind, sorted[0], step, i.about.Documents)
	}
	g := benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorLong}
	g.Integer = &benchv1alpha1.IntegerSettings{Min: new(sorted[0]), Max: new(sorted[len(sorted)-1])}
	if kind == bson.TypeInt32 {
		g.Type = benchv1alpha1.GeneratorInt
		*g.Integer.Min, *g.Integer.Max = max(*g.Integer.Min, math.MinInt32), min(*g.Integer.Max, math.MaxInt32)
	}
	values := floats(sorted)
	items := values[len(values)-1] - values[0] + 1
	if uniform(values, values[0], items, true) {
		return g
	}
	if theta, ok := zipfian(values, values[0], items); ok {
		g.Distribution = &benchv1alpha1.Distribution{
			Type: benchv1alpha1.DistributionZipfian, Zipfian: &benchv1alpha1.ZipfianSettings{ThetaThousandths: &theta},
		}
		return g
	}
	i.note(path, "is neither evenly distributed nor by Zipf's law from the least value on; the generated values are even")
	return g
}

// counting goes up with the record number. A Sequence is a Long; an Int goes through its range.
func counting(kind bson.Type, first, step, documents int64) benchv1alpha1.Generator {
	last := first + documents - 1
	if kind == bson.TypeInt32 && step == 1 && last <= math.MaxInt32 {
		return benchv1alpha1.Generator{
			Type:         benchv1alpha1.GeneratorInt,
			Distribution: &benchv1alpha1.Distribution{Type: benchv1alpha1.DistributionSequential},
			ValueSettings: benchv1alpha1.ValueSettings{
				Integer: &benchv1alpha1.IntegerSettings{Min: &first, Max: &last},
			},
		}
	}
	return benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorSequence, Sequence: &benchv1alpha1.SequenceSettings{Start: &first, Step: &step},
	}
}

// mostDecimal is the largest number that the API's 32 characters hold with some digits after the point.
const mostDecimal = 1e18

func (i *inference) double(path string, n *node) benchv1alpha1.Generator {
	g := benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDouble}
	sorted := slices.Sorted(slices.Values(n.doubles))
	if n.unusable > 0 {
		i.note(path, "is no number in %s of the documents; of the generated ones in none", percent(n.unusable, n.seen))
	}
	if len(sorted) == 0 {
		return g
	}
	least, largest := sorted[0], sorted[len(sorted)-1]
	if least < -mostDecimal || largest > mostDecimal {
		i.note(path, "goes from %g to %g; the generated values stay within ±%g", least, largest, mostDecimal)
		least, largest = max(least, -mostDecimal), min(largest, mostDecimal)
	}
	if !slices.ContainsFunc(sorted, func(value float64) bool { return value != math.Trunc(value) }) {
		i.note(path, "holds whole numbers as doubles; the generated ones have fractions")
	}
	if !uniform(sorted, least, largest-least, false) {
		i.note(path, "is not evenly distributed; the generated values are")
	}
	g.Double = &benchv1alpha1.DoubleSettings{Min: new(decimal(least)), Max: new(decimal(largest))}
	return g
}

// longestDecimal is the API's limit.
const longestDecimal = 32

func decimal(number float64) string {
	text := strconv.FormatFloat(number, 'f', -1, 64)
	if len(text) > longestDecimal {
		text = strings.TrimRight(text[:longestDecimal], ".")
	}
	return text
}

func (*inference) boolean(_ string, n *node) benchv1alpha1.Generator {
	truths := n.types[bson.TypeBoolean]
	share := int32(math.Round(100 * float64(n.trues) / float64(max(truths, 1))))
	return benchv1alpha1.Generator{
		Type:          benchv1alpha1.GeneratorBool,
		ValueSettings: benchv1alpha1.ValueSettings{Bool: &benchv1alpha1.BoolSettings{TruePercent: &share}},
	}
}

func (i *inference) date(path string, n *node) benchv1alpha1.Generator {
	sorted := slices.Sorted(slices.Values(n.dates))
	values := floats(sorted)
	if !uniform(values, values[0], values[len(values)-1]-values[0], false) {
		i.note(path, "is not evenly distributed over its time; the generated dates are")
	}
	if !i.sample.settings.Now.IsZero() {
		return benchv1alpha1.Generator{
			Type:          benchv1alpha1.GeneratorDate,
			ValueSettings: benchv1alpha1.ValueSettings{Date: fromNow(i.sample.settings.Now, sorted[0], sorted[len(sorted)-1])},
		}
	}
	// The API's dates have whole seconds.
	first := metav1.NewTime(time.UnixMilli(sorted[0]).UTC().Truncate(time.Second))
	last := metav1.NewTime(time.UnixMilli(sorted[len(sorted)-1]).UTC().Add(time.Second - 1).Truncate(time.Second))
	return benchv1alpha1.Generator{
		Type:          benchv1alpha1.GeneratorDate,
		ValueSettings: benchv1alpha1.ValueSettings{Date: &benchv1alpha1.DateSettings{Min: &first, Max: &last}},
	}
}

// incompressible is how far flate shortens the random part of a generated String, in hundredths.
const incompressibleText = 77

func (i *inference) text(path string, n *node) benchv1alpha1.Generator {
	if serial, ok := n.serials.generator(i.about.Documents); ok && n.cardinality() == n.seen {
		return i.masked(serial)
	}
	if g, ok := readable(i, path, n); ok {
		return g
	}
	return sized(benchv1alpha1.GeneratorString, i.bytes(path, n, bson.TypeString, incompressibleText))
}

func (i *inference) binary(path string, n *node) benchv1alpha1.Generator {
	if n.uuids == n.types[bson.TypeBinary] {
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorUUID}
	}
	return sized(benchv1alpha1.GeneratorBinary, i.bytes(path, n, bson.TypeBinary, 100))
}

// sized is a generator of a String or Binary.
func sized(kind benchv1alpha1.GeneratorType, settings *benchv1alpha1.BytesSettings) benchv1alpha1.Generator {
	return benchv1alpha1.Generator{Type: kind, ValueSettings: benchv1alpha1.ValueSettings{Bytes: settings}}
}

func (i *inference) bytes(path string, n *node, kind bson.Type, incompressible int) *benchv1alpha1.BytesSettings {
	least, largest, cut := middle(n.lengths[kind])
	if cut {
		i.note(path, "has lengths from %d to %d that lean to one end; the generated ones have the same mean and are even",
			slices.Min(n.lengths[kind]), slices.Max(n.lengths[kind]))
	}
	settings := &benchv1alpha1.BytesSettings{MinLength: new(int32(least)), MaxLength: new(int32(max(largest, 1)))}
	if share := compressible(n.text, incompressible); share > 0 {
		settings.CompressiblePercent = &share
	}
	return settings
}

const (
	// leastText is how many bytes it takes to see how well values compress.
	leastText = 4 << 10
	// compressibleStep is how finely it is told.
	compressibleStep = 5
)

// compressible is which share of each value must be one repeated byte, for the whole to compress as well as the sample,
// when its random part compresses to this many hundredths.
func compressible(text []byte, incompressible int) int32 {
	if len(text) < leastText {
		return 0
	}
	var compressed bytes.Buffer
	// Of a level that there is, and a buffer, which takes everything, nothing fails.
	writer, _ := flate.NewWriter(&compressed, flate.DefaultCompression)
	_, _ = writer.Write(text)
	_ = writer.Close()
	left := 100 * float64(compressed.Len()) / float64(len(text))
	share := 100 - 100*left/float64(incompressible)
	return int32(max(0, min(95, math.Round(share/compressibleStep)*compressibleStep)))
}
