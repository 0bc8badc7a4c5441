package spec

import (
	"strconv"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// wholeRangePercent is the share of the record numbers that a Key draws from when nothing narrows it.
const wholeRangePercent = 100

// The names of nested fields are hashed into their seeds: a document's field "b" in "a" is "a.b", an array's element
// "a[]".
const elementSuffix = "[]"

func compileField(declared benchv1alpha1.Field, collection string) planv1.Value {
	value := compileGenerator(declared.Generator, collection, declared.Name)
	value.Fields = compileDocument(declared.Document, collection, declared.Name)
	if declared.Array != nil {
		value.Min = int64(ptr.Deref(declared.Array.MinItems, 0))
		value.Max = int64(declared.Array.MaxItems)
		value.Element = compileElement(declared.Array.Element, collection, declared.Name+elementSuffix)
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
		fields = append(fields, planv1.Field{
			Name:  field.Name,
			Value: compileGenerator(field.Generator, collection, path+"."+field.Name),
		})
	}
	return fields
}

func compileParameter(declared benchv1alpha1.Parameter, operation string) planv1.Parameter {
	value := compileGenerator(benchv1alpha1.Generator{
		Type:         benchv1alpha1.GeneratorType(declared.Type),
		Distribution: declared.Distribution,
		Integer:      declared.Integer,
		Double:       declared.Double,
		Bool:         declared.Bool,
		Date:         declared.Date,
		Bytes:        declared.Bytes,
		Choice:       declared.Choice,
	}, operation, declared.Name)
	if declared.Type == benchv1alpha1.ParameterKey {
		key := ptr.Deref(declared.Key, benchv1alpha1.KeySettings{})
		value.KeyField = ptr.Deref(key.Field, benchv1alpha1.DefaultKeyField)
		value.KeyRangePercent = int(ptr.Deref(key.RangePercent, wholeRangePercent))
		value.Distribution = compileDistribution(declared.Distribution)
	}
	return planv1.Parameter{
		Name:          declared.Name,
		Value:         value,
		SameRecordAs:  ptr.Deref(declared.SameRecordAs, ""),
		PlusParameter: ptr.Deref(declared.PlusParameter, ""),
	}
}

// compileGenerator fills in what the type of a value needs. What leads to the value, an owner and a path within it,
// gives its seed when its author did not.
func compileGenerator(declared benchv1alpha1.Generator, owner, path string) planv1.Value {
	value := planv1.Value{Type: planv1.ValueType(declared.Type), Seed: derivedSeed(owner, path)}
	if declared.Seed != nil {
		value.Seed = givenSeed(*declared.Seed)
	}
	switch value.Type {
	case planv1.TypeInt, planv1.TypeLong, planv1.TypeDouble, planv1.TypeDate, planv1.TypeString, planv1.TypeBinary:
		value.Distribution = compileDistribution(declared.Distribution)
		fillRange(&value, declared)
	case planv1.TypeSequence:
		sequence := ptr.Deref(declared.Sequence, benchv1alpha1.SequenceSettings{})
		value.Start, value.Step = ptr.Deref(sequence.Start, 0), ptr.Deref(sequence.Step, 1)
	case planv1.TypeBool:
		settings := ptr.Deref(declared.Bool, benchv1alpha1.BoolSettings{})
		value.TruePercent = int(ptr.Deref(settings.TruePercent, benchv1alpha1.DefaultTruePercent))
	case planv1.TypeChoice:
		value.Choices = compileChoices(declared.Choice)
	case planv1.TypeSerial:
		serial := ptr.Deref(declared.Serial, benchv1alpha1.SerialSettings{})
		value.Prefix = ptr.Deref(serial.Prefix, "")
		value.Digits = int(ptr.Deref(serial.Digits, benchv1alpha1.DefaultSerialDigits))
		value.Hashed = ptr.Deref(serial.Order, benchv1alpha1.SerialOrdered) == benchv1alpha1.SerialHashed
	default: // ObjectID and UUID have no settings; those of Document, Array and Key are their callers' business.
	}
	return value
}

// fillRange fills in the range that a value is drawn from.
func fillRange(value *planv1.Value, declared benchv1alpha1.Generator) {
	switch value.Type {
	case planv1.TypeInt, planv1.TypeLong:
		settings := ptr.Deref(declared.Integer, benchv1alpha1.IntegerSettings{})
		value.Min = ptr.Deref(settings.Min, 0)
		value.Max = ptr.Deref(settings.Max, benchv1alpha1.DefaultIntegerMax)
	case planv1.TypeDouble:
		settings := ptr.Deref(declared.Double, benchv1alpha1.DoubleSettings{})
		value.MinDouble = decimal(ptr.Deref(settings.Min, benchv1alpha1.DefaultDoubleMin))
		value.MaxDouble = decimal(ptr.Deref(settings.Max, benchv1alpha1.DefaultDoubleMax))
	case planv1.TypeDate:
		settings := ptr.Deref(declared.Date, benchv1alpha1.DateSettings{})
		value.Min = ptr.Deref(settings.Min, benchv1alpha1.DefaultDateMin).UnixMilli()
		value.Max = ptr.Deref(settings.Max, benchv1alpha1.DefaultDateMax).UnixMilli()
	case planv1.TypeString, planv1.TypeBinary:
		settings := ptr.Deref(declared.Bytes, benchv1alpha1.BytesSettings{})
		value.Min, value.Max = lengths(settings)
		value.CompressiblePercent = int(ptr.Deref(settings.CompressiblePercent, 0))
	default:
	}
}

// lengths are the least and the largest length of a String or Binary: one that is unset is as the other.
func lengths(settings benchv1alpha1.BytesSettings) (least, largest int64) {
	switch {
	case settings.MinLength == nil && settings.MaxLength == nil:
		return int64(benchv1alpha1.DefaultBytesLength), int64(benchv1alpha1.DefaultBytesLength)
	case settings.MinLength == nil:
		return int64(*settings.MaxLength), int64(*settings.MaxLength)
	case settings.MaxLength == nil:
		return int64(*settings.MinLength), int64(*settings.MinLength)
	default:
		return int64(*settings.MinLength), int64(*settings.MaxLength)
	}
}

// decimal reads a number whose form the API server has checked.
func decimal(text string) float64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return number
}

func compileChoices(declared *benchv1alpha1.ChoiceSettings) []planv1.Choice {
	if declared == nil {
		return nil
	}
	choices := make([]planv1.Choice, 0, len(declared.Values))
	for _, choice := range declared.Values {
		choices = append(choices, planv1.Choice{Value: choice.Value, Weight: int(ptr.Deref(choice.Weight, 1))})
	}
	return choices
}

// compileDistribution names Uniform as well, so that a plan says how each of its values is drawn.
func compileDistribution(declared *benchv1alpha1.Distribution) planv1.Distribution {
	uniform := benchv1alpha1.Distribution{Type: benchv1alpha1.DistributionUniform}
	settings := ptr.Deref(declared, uniform)
	distribution := planv1.Distribution{Type: string(settings.Type)}
	switch settings.Type {
	case benchv1alpha1.DistributionZipfian, benchv1alpha1.DistributionScrambledZipfian, benchv1alpha1.DistributionLatest:
		zipfian := ptr.Deref(settings.Zipfian, benchv1alpha1.ZipfianSettings{})
		theta := ptr.Deref(zipfian.ThetaThousandths, benchv1alpha1.DefaultThetaThousandths)
		distribution.Theta = float64(theta) / 1000
	case benchv1alpha1.DistributionHotSpot:
		hot := ptr.Deref(settings.HotSpot, benchv1alpha1.HotSpotSettings{})
		distribution.HotRange = float64(ptr.Deref(hot.HotRangePercent, benchv1alpha1.DefaultHotRangePercent)) / 100
		distribution.HotDraws = float64(ptr.Deref(hot.HotDrawsPercent, benchv1alpha1.DefaultHotDrawsPercent)) / 100
	case benchv1alpha1.DistributionExponential:
		exponential := ptr.Deref(settings.Exponential, benchv1alpha1.ExponentialSettings{})
		millionths := ptr.Deref(exponential.RangeMillionths, benchv1alpha1.DefaultRangeMillionths)
		distribution.HotRange = float64(millionths) / 1e6
		distribution.HotDraws = float64(ptr.Deref(exponential.DrawsPercent, benchv1alpha1.DefaultDrawsPercent)) / 100
	default:
	}
	return distribution
}
