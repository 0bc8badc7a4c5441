package spec

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// The names of nested fields are hashed into their seeds: a document's field "b" in "a" is "a.b", an array's element
// "a[]".
const elementSuffix = "[]"

func compileField(declared benchv1alpha1.Field, collection string) planv1.Value {
	path := seedPath(declared.Name)
	value := compileGenerator(declared.Generator, collection, path)
	value.PresencePercent = compilePresence(declared.PresencePercent)
	value.Fields = compileDocument(declared.Document, collection, path)
	if declared.Array != nil {
		value.Min = int64(*declared.Array.MinItems)
		value.Max = int64(declared.Array.MaxItems)
		value.Element = compileElement(declared.Array.Element, collection, path+elementSuffix)
	}
	return value
}

func compileElement(declared benchv1alpha1.Element, collection, path string) *planv1.Value {
	value := compileGenerator(declared.Generator, collection, path)
	value.Fields = compileDocument(declared.Document, collection, path)
	return &value
}

func compileDocument(declared *benchv1alpha1.DocumentGenerator, collection, path string) []planv1.Field {
	if declared == nil {
		return nil
	}
	fields := make([]planv1.Field, 0, len(declared.Fields))
	for _, field := range declared.Fields {
		value := compileGenerator(field.Generator, collection, path+"."+seedPath(field.Name))
		value.PresencePercent = compilePresence(field.PresencePercent)
		fields = append(fields, planv1.Field{Name: field.Name, Value: value})
	}
	return nestArrays(collection, path+".", fields)
}

// compilePresence is 0 for a field that every document has.
func compilePresence(declared *int32) int {
	return int(*declared % benchv1alpha1.DefaultPresencePercent)
}

func compileParameter(declared *benchv1alpha1.Parameter, operation string) planv1.Parameter {
	value := compileGenerator(Drawn(declared), operation, declared.Name)
	if declared.Type == benchv1alpha1.ParameterKey {
		value.KeyField = *declared.Key.Field
		value.KeyRangePercent = int(*declared.Key.RangePercent)
		value.Distribution = compileDistribution(declared.Distribution)
	}
	return planv1.Parameter{
		Name:          declared.Name,
		Value:         value,
		SameRecordAs:  ptr.Deref(declared.SameRecordAs, ""),
		PlusParameter: ptr.Deref(declared.PlusParameter, ""),
	}
}

// compileGenerator makes the plan's form of a value. What leads to the value, an owner and a path within it, gives its
// seed when its author did not.
func compileGenerator(declared benchv1alpha1.Generator, owner, path string) planv1.Value {
	if declared.Type == benchv1alpha1.GeneratorFromFile && declared.FromFile != nil {
		path = declared.FromFile.File // So that the values that one owner takes of a file are of the same document.
	}
	value := planv1.Value{Type: declared.Type, Seed: derivedSeed(owner, path)}
	if declared.Seed != nil {
		value.Seed = givenSeed(*declared.Seed)
	}
	value.NullPercent = int(ptr.Deref(declared.NullPercent, 0))
	if Ranged(declared.Type) {
		value.Distribution = compileDistribution(declared.Distribution)
		compileLimits(&value, declared)
	}
	switch value.Type {
	case benchv1alpha1.GeneratorSequence:
		value.Start, value.Step = *declared.Sequence.Start, *declared.Sequence.Step
	case benchv1alpha1.GeneratorBool:
		value.TruePercent = int(*declared.Bool.TruePercent)
	case benchv1alpha1.GeneratorChoice:
		value.Choices = compileChoices(declared.Choice.Values)
	case benchv1alpha1.GeneratorSerial:
		value.Prefix, value.Digits = *declared.Serial.Prefix, int(*declared.Serial.Digits)
		value.Hashed = *declared.Serial.Order == benchv1alpha1.SerialHashed
	case benchv1alpha1.GeneratorFake:
		value.Fake = ptr.Deref(declared.Fake, "")
	default: // ObjectID and UUID have no settings; those of Document, Array and Key are their callers' business.
	}
	return value
}

// compileLimits takes over what a drawn value lies within.
func compileLimits(value *planv1.Value, declared benchv1alpha1.Generator) {
	switch value.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		value.Min, value.Max = *declared.Integer.Min, *declared.Integer.Max
	case benchv1alpha1.GeneratorDouble:
		value.MinDouble, value.MaxDouble = decimal(*declared.Double.Min), decimal(*declared.Double.Max)
	case benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorTimestamp:
		compileDate(value, declared.Date)
	case benchv1alpha1.GeneratorDecimal:
		value.Scale = int(*declared.Decimal.Scale)
		value.Min, _ = Scaled(*declared.Decimal.Min, value.Scale) // Validation refuses what cannot be read.
		value.Max, _ = Scaled(*declared.Decimal.Max, value.Scale)
	case benchv1alpha1.GeneratorGeoPoint:
		value.Geo = compileGeo(declared.Geo)
	case benchv1alpha1.GeneratorVector:
		value.Vector = compileVector(declared.Vector)
	case benchv1alpha1.GeneratorWords:
		value.Min, value.Max = int64(*declared.Words.MinWords), int64(*declared.Words.MaxWords)
		value.Language = *declared.Words.Language
	case benchv1alpha1.GeneratorReference:
		value.Reference = compileReference(declared.RefersTo)
	case benchv1alpha1.GeneratorFromFile:
		from := ptr.Deref(declared.FromFile, benchv1alpha1.FromFileSettings{})
		value.FromFile = &planv1.FromFile{File: from.File, Field: from.Field}
	default: // String, Binary and Regex.
		value.Min, value.Max = int64(*declared.Bytes.MinLength), int64(*declared.Bytes.MaxLength)
		value.CompressiblePercent = int(*declared.Bytes.CompressiblePercent)
	}
}

func compileDate(value *planv1.Value, declared *benchv1alpha1.DateSettings) {
	if value.FromLoad = declared.FromLoad(); value.FromLoad {
		const milliseconds = 1000
		value.Min, value.Max = ptr.Deref(declared.MinOffsetSeconds, 0)*milliseconds,
			ptr.Deref(declared.MaxOffsetSeconds, 0)*milliseconds
		return
	}
	value.Min, value.Max = declared.Min.UnixMilli(), declared.Max.UnixMilli()
}

// GeoScale is the number of digits after the point of a longitude or latitude.
const GeoScale = 7

func compileGeo(declared *benchv1alpha1.GeoSettings) *planv1.Geo {
	angle := func(text *string) int64 {
		read, _ := Scaled(*text, GeoScale) // Validation refuses what cannot be read.
		return read
	}
	geo := &planv1.Geo{
		West: angle(declared.MinLongitude), East: angle(declared.MaxLongitude),
		South: angle(declared.MinLatitude), North: angle(declared.MaxLatitude),
		Clusters: int64(*declared.Clusters),
	}
	if geo.Clusters > 0 {
		geo.RadiusMeters = int64(*declared.ClusterRadiusMeters)
	}
	return geo
}

func compileVector(declared *benchv1alpha1.VectorSettings) *planv1.Vector {
	if declared == nil {
		return nil // Validation wants it.
	}
	vector := &planv1.Vector{
		Dimensions: int64(declared.Dimensions), Clusters: int64(*declared.Clusters),
		Float32: *declared.Form == benchv1alpha1.VectorFloat32,
	}
	if vector.Clusters > 0 {
		vector.SpreadPercent = int64(*declared.SpreadPercent)
	}
	return vector
}

// compileReference leaves to planv1.Plan.Referred what is referred to.
func compileReference(declared *benchv1alpha1.ReferenceSettings) *planv1.Reference {
	return &planv1.Reference{
		Collection: declared.Collection, Field: *declared.Field,
		DocumentsPerKey: int64(ptr.Deref(declared.DocumentsPerKey, 0)), OrphanPercent: int(*declared.OrphanPercent),
	}
}

// Scaled reads a decimal number in units of its last digit, with so many digits after the point: 12.5 is 1250 with 2.
func Scaled(text string, scale int) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" {
		return 0, errors.New("must be a decimal number")
	}
	if len(fraction) > scale {
		return 0, fmt.Errorf("has more than %d digits after the point", scale)
	}
	number, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10, 64)
	if err != nil || number >= mostScaled || number <= -mostScaled {
		return 0, fmt.Errorf("must be a decimal number with at most 18 digits, of which %d are after the point", scale)
	}
	return number, nil
}

// mostScaled has 19 digits; what is drawn from a range below it fits into 64 bits.
const mostScaled = 1_000_000_000_000_000_000

// decimal reads a number whose form the API server has checked.
func decimal(text string) float64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return number
}

func compileDistribution(declared *benchv1alpha1.Distribution) planv1.Distribution {
	distribution := planv1.Distribution{Type: string(declared.Type)}
	switch declared.Type {
	case benchv1alpha1.DistributionZipfian, benchv1alpha1.DistributionScrambledZipfian, benchv1alpha1.DistributionLatest:
		distribution.Theta = float64(*declared.Zipfian.ThetaThousandths) / 1000
	case benchv1alpha1.DistributionHotSpot:
		distribution.HotRange = float64(*declared.HotSpot.HotRangePercent) / 100
		distribution.HotDraws = float64(*declared.HotSpot.HotDrawsPercent) / 100
	case benchv1alpha1.DistributionExponential:
		distribution.HotRange = float64(*declared.Exponential.RangeMillionths) / 1e6
		distribution.HotDraws = float64(*declared.Exponential.DrawsPercent) / 100
	case benchv1alpha1.DistributionNURand:
		distribution.A, distribution.C = int64(declared.NURand.A), int64(declared.NURand.C)
	default: // Uniform and Sequential have no settings.
	}
	return distribution
}

// derivedSeed is the seed of a value whose author gave none: a hash of the names that lead to it. FNV-1a is used
// because its definition is fixed for ever, and so what is generated from it.
func derivedSeed(names ...string) uint64 {
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write([]byte(name)) // A hash never fails to write.
		_, _ = hash.Write([]byte{0})    // Keeps ("ab", "c") apart from ("a", "bc").
	}
	return hash.Sum64()
}

// givenSeed is the seed of a value whose author gave one. It is hashed as well, because small neighbouring numbers
// added to the plan's seed would make (seed 1, field seed 2) and (seed 2, field seed 1) the same.
func givenSeed(seed int64) uint64 {
	return derivedSeed("seed", strconv.FormatInt(seed, 10))
}
