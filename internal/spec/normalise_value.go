package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// value fills in the settings that the type of a value has.
func value(generator *benchv1alpha1.Generator) {
	switch generator.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong, benchv1alpha1.GeneratorDouble,
		benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		distribution(section(&generator.Distribution))
		limits(generator)
	case benchv1alpha1.GeneratorSequence:
		settings := section(&generator.Sequence)
		set(&settings.Start, 0)
		set(&settings.Step, 1)
	case benchv1alpha1.GeneratorBool:
		set(&section(&generator.Bool).TruePercent, benchv1alpha1.DefaultTruePercent)
	case benchv1alpha1.GeneratorChoice:
		choices := section(&generator.Choice)
		for i := range choices.Values {
			set(&choices.Values[i].Weight, 1)
		}
	case benchv1alpha1.GeneratorSerial:
		settings := section(&generator.Serial)
		set(&settings.Prefix, "")
		set(&settings.Digits, benchv1alpha1.DefaultSerialDigits)
		set(&settings.Order, benchv1alpha1.SerialOrdered)
	default: // ObjectID and UUID have no settings; nested and array fill in those of Document and Array.
	}
}

// limits are what a drawn value lies within.
func limits(generator *benchv1alpha1.Generator) {
	switch generator.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		settings := section(&generator.Integer)
		set(&settings.Min, 0)
		set(&settings.Max, benchv1alpha1.DefaultIntegerMax)
	case benchv1alpha1.GeneratorDouble:
		settings := section(&generator.Double)
		set(&settings.Min, benchv1alpha1.DefaultDoubleMin)
		set(&settings.Max, benchv1alpha1.DefaultDoubleMax)
	case benchv1alpha1.GeneratorDate:
		settings := section(&generator.Date)
		set(&settings.Min, benchv1alpha1.DefaultDateMin)
		set(&settings.Max, benchv1alpha1.DefaultDateMax)
	default: // String and Binary.
		settings := section(&generator.Bytes)
		if settings.MinLength == nil && settings.MaxLength == nil {
			set(&settings.MinLength, benchv1alpha1.DefaultBytesLength)
		}
		if settings.MinLength == nil {
			set(&settings.MinLength, *settings.MaxLength)
		}
		set(&settings.MaxLength, *settings.MinLength)
		set(&settings.CompressiblePercent, 0)
	}
}

func nested(document *benchv1alpha1.DocumentGenerator) {
	if document == nil {
		return
	}
	for i := range document.Fields {
		value(&document.Fields[i].Generator)
	}
}

func array(array *benchv1alpha1.ArrayGenerator) {
	if array == nil {
		return
	}
	set(&array.MinItems, 0)
	value(&array.Element.Generator)
	nested(array.Element.Document)
}

// drawn is a parameter as the generator of a value; that of a Key draws a record.
func drawn(parameter *benchv1alpha1.Parameter) benchv1alpha1.Generator {
	return benchv1alpha1.Generator{
		Type:         benchv1alpha1.GeneratorType(parameter.Type),
		Distribution: parameter.Distribution,
		Integer:      parameter.Integer,
		Double:       parameter.Double,
		Bool:         parameter.Bool,
		Date:         parameter.Date,
		Bytes:        parameter.Bytes,
		Choice:       parameter.Choice,
	}
}

func parameter(parameter *benchv1alpha1.Parameter) {
	generator := drawn(parameter)
	value(&generator)
	parameter.Distribution, parameter.Integer, parameter.Double = generator.Distribution, generator.Integer, generator.Double
	parameter.Bool, parameter.Date, parameter.Bytes = generator.Bool, generator.Date, generator.Bytes
	parameter.Choice = generator.Choice
	if parameter.Type == benchv1alpha1.ParameterKey {
		distribution(section(&parameter.Distribution))
		settings := section(&parameter.Key)
		set(&settings.Field, benchv1alpha1.DefaultKeyField)
		set(&settings.RangePercent, benchv1alpha1.DefaultRangePercent)
	}
}

func distribution(distribution *benchv1alpha1.Distribution) {
	switch distribution.Type {
	case "":
		distribution.Type = benchv1alpha1.DistributionUniform
	case benchv1alpha1.DistributionZipfian, benchv1alpha1.DistributionScrambledZipfian, benchv1alpha1.DistributionLatest:
		set(&section(&distribution.Zipfian).ThetaThousandths, benchv1alpha1.DefaultThetaThousandths)
	case benchv1alpha1.DistributionHotSpot:
		settings := section(&distribution.HotSpot)
		set(&settings.HotRangePercent, benchv1alpha1.DefaultHotRangePercent)
		set(&settings.HotDrawsPercent, benchv1alpha1.DefaultHotDrawsPercent)
	case benchv1alpha1.DistributionExponential:
		settings := section(&distribution.Exponential)
		set(&settings.RangeMillionths, benchv1alpha1.DefaultRangeMillionths)
		set(&settings.DrawsPercent, benchv1alpha1.DefaultDrawsPercent)
	default: // Uniform and Sequential have no settings.
	}
}
