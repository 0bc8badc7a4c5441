package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// value fills in the settings that the type of a value has.
func value(generator *benchv1alpha1.Generator) {
	product.Default(&generator.NullPercent, 0)
	if Ranged(generator.Type) {
		distribution(product.Section(&generator.Distribution))
		limits(generator)
	}
	switch generator.Type {
	case benchv1alpha1.GeneratorSequence:
		settings := product.Section(&generator.Sequence)
		product.Default(&settings.Start, 0)
		product.Default(&settings.Step, 1)
	case benchv1alpha1.GeneratorBool:
		product.Default(&product.Section(&generator.Bool).TruePercent, benchv1alpha1.DefaultTruePercent)
	case benchv1alpha1.GeneratorChoice:
		choices := product.Section(&generator.Choice)
		for i := range choices.Values {
			product.Default(&choices.Values[i].Weight, 1)
		}
	case benchv1alpha1.GeneratorSerial:
		settings := product.Section(&generator.Serial)
		product.Default(&settings.Prefix, "")
		product.Default(&settings.Digits, benchv1alpha1.DefaultSerialDigits)
		product.Default(&settings.Order, benchv1alpha1.SerialOrdered)
	default: // ObjectID and UUID have no settings; nested and array fill in those of Document and Array.
	}
}

// limits are what a drawn value lies within.
func limits(generator *benchv1alpha1.Generator) {
	switch generator.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		settings := product.Section(&generator.Integer)
		product.Default(&settings.Min, 0)
		product.Default(&settings.Max, benchv1alpha1.DefaultIntegerMax)
	case benchv1alpha1.GeneratorDouble:
		settings := product.Section(&generator.Double)
		product.Default(&settings.Min, benchv1alpha1.DefaultDoubleMin)
		product.Default(&settings.Max, benchv1alpha1.DefaultDoubleMax)
	case benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorTimestamp:
		settings := product.Section(&generator.Date)
		if !settings.FromLoad() {
			product.Default(&settings.Min, benchv1alpha1.DefaultDateMin)
			product.Default(&settings.Max, benchv1alpha1.DefaultDateMax)
		}
	case benchv1alpha1.GeneratorDecimal:
		settings := product.Section(&generator.Decimal)
		product.Default(&settings.Min, benchv1alpha1.DefaultDecimalMin)
		product.Default(&settings.Max, benchv1alpha1.DefaultDecimalMax)
		product.Default(&settings.Scale, benchv1alpha1.DefaultDecimalScale)
	case benchv1alpha1.GeneratorGeoPoint:
		geo(product.Section(&generator.Geo))
	case benchv1alpha1.GeneratorWords:
		words(product.Section(&generator.Words))
	case benchv1alpha1.GeneratorReference:
		settings := product.Section(&generator.RefersTo)
		product.Default(&settings.Field, benchv1alpha1.DefaultKeyField)
		product.Default(&settings.OrphanPercent, 0)
	case benchv1alpha1.GeneratorVector:
		vector(generator.Vector)
	case benchv1alpha1.GeneratorFromFile: // How many documents a file has is known when it is read.
	default: // String, Binary and Regex.
		byteLengths(product.Section(&generator.Bytes))
	}
}

func byteLengths(settings *benchv1alpha1.BytesSettings) {
	if settings.MinLength == nil && settings.MaxLength == nil {
		product.Default(&settings.MinLength, benchv1alpha1.DefaultBytesLength)
	}
	if settings.MinLength == nil {
		product.Default(&settings.MinLength, *settings.MaxLength)
	}
	product.Default(&settings.MaxLength, *settings.MinLength)
	product.Default(&settings.CompressiblePercent, 0)
}

func geo(settings *benchv1alpha1.GeoSettings) {
	product.Default(&settings.MinLongitude, benchv1alpha1.DefaultMinLongitude)
	product.Default(&settings.MaxLongitude, benchv1alpha1.DefaultMaxLongitude)
	product.Default(&settings.MinLatitude, benchv1alpha1.DefaultMinLatitude)
	product.Default(&settings.MaxLatitude, benchv1alpha1.DefaultMaxLatitude)
	product.Default(&settings.Clusters, 0)
	if *settings.Clusters > 0 {
		product.Default(&settings.ClusterRadiusMeters, benchv1alpha1.DefaultClusterRadiusMeters)
	}
}

func vector(settings *benchv1alpha1.VectorSettings) {
	if settings == nil {
		return // Validation wants it.
	}
	product.Default(&settings.Clusters, benchv1alpha1.DefaultVectorClusters)
	if *settings.Clusters > 0 {
		product.Default(&settings.SpreadPercent, benchv1alpha1.DefaultVectorSpreadPercent)
	}
	product.Default(&settings.Form, benchv1alpha1.VectorArray)
}

func words(settings *benchv1alpha1.WordsSettings) {
	if settings.MinWords == nil && settings.MaxWords == nil {
		product.Default(&settings.MinWords, benchv1alpha1.DefaultMinWords)
		product.Default(&settings.MaxWords, benchv1alpha1.DefaultMaxWords)
	}
	if settings.MinWords == nil {
		product.Default(&settings.MinWords, *settings.MaxWords)
	}
	product.Default(&settings.MaxWords, *settings.MinWords)
	product.Default(&settings.Language, benchv1alpha1.LanguageEnglish)
}

// Ranged says whether values of a type are drawn from a range, by a distribution.
func Ranged(kind benchv1alpha1.GeneratorType) bool {
	switch kind {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong, benchv1alpha1.GeneratorDouble,
		benchv1alpha1.GeneratorDecimal, benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorTimestamp,
		benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary, benchv1alpha1.GeneratorRegex,
		benchv1alpha1.GeneratorGeoPoint, benchv1alpha1.GeneratorWords, benchv1alpha1.GeneratorReference,
		benchv1alpha1.GeneratorFromFile, benchv1alpha1.GeneratorVector:
		return true
	default:
		return false
	}
}

func nested(document *benchv1alpha1.DocumentGenerator) {
	if document == nil {
		return
	}
	for i := range document.Fields {
		product.Default(&document.Fields[i].PresencePercent, benchv1alpha1.DefaultPresencePercent)
		value(&document.Fields[i].Generator)
	}
}

func array(array *benchv1alpha1.ArrayGenerator) {
	if array == nil {
		return
	}
	product.Default(&array.MinItems, 0)
	value(&array.Element.Generator)
	nested(array.Element.Document)
}

// Drawn is a parameter as the generator of a value; that of a Key draws a record.
func Drawn(parameter *benchv1alpha1.Parameter) benchv1alpha1.Generator {
	return benchv1alpha1.Generator{
		Type:          benchv1alpha1.GeneratorType(parameter.Type),
		Distribution:  parameter.Distribution,
		ValueSettings: parameter.ValueSettings,
	}
}

func parameter(parameter *benchv1alpha1.Parameter) {
	generator := Drawn(parameter)
	value(&generator)
	parameter.Distribution, parameter.ValueSettings = generator.Distribution, generator.ValueSettings
	if parameter.Type == benchv1alpha1.ParameterKey {
		distribution(product.Section(&parameter.Distribution))
		settings := product.Section(&parameter.Key)
		product.Default(&settings.Field, benchv1alpha1.DefaultKeyField)
		product.Default(&settings.RangePercent, benchv1alpha1.DefaultRangePercent)
	}
}

func distribution(distribution *benchv1alpha1.Distribution) {
	switch distribution.Type {
	case "":
		distribution.Type = benchv1alpha1.DistributionUniform
	case benchv1alpha1.DistributionZipfian, benchv1alpha1.DistributionScrambledZipfian, benchv1alpha1.DistributionLatest:
		product.Default(&product.Section(&distribution.Zipfian).ThetaThousandths, benchv1alpha1.DefaultThetaThousandths)
	case benchv1alpha1.DistributionHotSpot:
		settings := product.Section(&distribution.HotSpot)
		product.Default(&settings.HotRangePercent, benchv1alpha1.DefaultHotRangePercent)
		product.Default(&settings.HotDrawsPercent, benchv1alpha1.DefaultHotDrawsPercent)
	case benchv1alpha1.DistributionExponential:
		settings := product.Section(&distribution.Exponential)
		product.Default(&settings.RangeMillionths, benchv1alpha1.DefaultRangeMillionths)
		product.Default(&settings.DrawsPercent, benchv1alpha1.DefaultDrawsPercent)
	default: // Uniform and Sequential have no settings.
	}
}
