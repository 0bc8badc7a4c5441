package validation

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func validateField(found *product.Findings, declared *benchv1alpha1.Field, path *field.Path) {
	validatePresence(found, declared.Name, declared.PresencePercent, path)
	validateGenerator(found, &declared.Generator, path)
	validateDocument(found, declared.Document, path.Child("document"))
	if declared.Array != nil {
		element := path.Child("array", "element")
		validateGenerator(found, &declared.Array.Element.Generator, element)
		validateDocument(found, declared.Array.Element.Document, element.Child("document"))
	}
}

func validateDocument(found *product.Findings, document *benchv1alpha1.DocumentGenerator, path *field.Path) {
	if document == nil {
		return
	}
	fields := path.Child("fields")
	names := make([]string, 0, len(document.Fields))
	for i := range document.Fields {
		declared := &document.Fields[i]
		names = append(names, declared.Name)
		validatePresence(found, declared.Name, declared.PresencePercent, fields.Index(i))
		validateGenerator(found, &declared.Generator, fields.Index(i))
	}
	validatePrefixes(found, names, fields)
}

// validateGenerator checks the settings of one value.
func validateGenerator(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	validateDistribution(found, generator.Type, generator.Distribution, path.Child("distribution"))
	validateMisplaced(found, generator, path)
	switch generator.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		validateInteger(found, generator, path.Child("integer"))
	case benchv1alpha1.GeneratorDouble:
		validateDouble(found, generator.Double, path.Child("double"))
	case benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorTimestamp:
		validateDate(found, generator, path.Child("date"))
	case benchv1alpha1.GeneratorChoice:
		validateChoice(found, generator.Choice, path.Child("choice"))
	case benchv1alpha1.GeneratorDecimal:
		validateDecimal(found, generator.Decimal, path.Child("decimal"))
	case benchv1alpha1.GeneratorGeoPoint:
		validateGeo(found, generator, path)
	case benchv1alpha1.GeneratorVector:
		validateVector(found, generator, path)
	case benchv1alpha1.GeneratorWords:
		found.Refuse(*generator.Words.MinWords > *generator.Words.MaxWords, path.Child("words", "minWords"),
			*generator.Words.MinWords, "must be no more than maxWords, %d", *generator.Words.MaxWords)
	default:
	}
}

// validateDistribution refuses a distribution that would be ignored.
func validateDistribution(
	found *product.Findings, kind benchv1alpha1.GeneratorType, distribution *benchv1alpha1.Distribution, path *field.Path,
) {
	if distribution == nil {
		return
	}
	ofRecords := kind == benchv1alpha1.GeneratorType(benchv1alpha1.ParameterKey)
	if distribution.Type == benchv1alpha1.DistributionLatest && !ofRecords && kind != benchv1alpha1.GeneratorReference {
		found.Refuse(true, path.Child("type"), distribution.Type,
			"favours the records that were inserted last, and only a parameter of type Key and a field of type Reference "+
				"draw records; Zipfian favours the low values of a range")
		return
	}
	found.Forbid(!ofRecords && !spec.Ranged(kind), path, "a value of type %s is not drawn from a range", kind)
}

func validateInteger(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	least, largest := *generator.Integer.Min, *generator.Integer.Max
	const tooLarge = "does not fit into the 32 bits of an Int; use type Long"
	short := generator.Type == benchv1alpha1.GeneratorInt
	found.Refuse(short && least != int64(int32(least)), path.Child("min"), least, tooLarge)
	found.Refuse(short && largest != int64(int32(largest)), path.Child("max"), largest, tooLarge)
	// The number of values has to fit into 63 bits, for drawing from them.
	found.Refuse(largest >= least && uint64(largest-least) >= math.MaxInt64, path.Child("max"), largest,
		"must be less than 9223372036854775807 above min, %d", least)
}

func validateDouble(found *product.Findings, declared *benchv1alpha1.DoubleSettings, path *field.Path) {
	low, high := *declared.Min, *declared.Max
	least, noLow := strconv.ParseFloat(low, 64)
	bound, noHigh := strconv.ParseFloat(high, 64)
	switch {
	case noLow != nil:
		found.Refuse(true, path.Child("min"), low, "must be a decimal number")
	case noHigh != nil:
		found.Refuse(true, path.Child("max"), high, "must be a decimal number")
	default:
		found.Refuse(least >= bound, path.Child("min"), low, "must be less than max, %s", high)
	}
}

func validateDate(found *product.Findings, generator *benchv1alpha1.Generator, path *field.Path) {
	declared := generator.Date
	if generator.Type == benchv1alpha1.GeneratorTimestamp {
		validateTimestamp(found, declared, path)
	}
	if declared.FromLoad() {
		validateOffsets(found, declared, path)
		return
	}
	const form = "2006-01-02T15:04:05Z"
	least, largest := declared.Min.UTC().Format(form), declared.Max.UTC().Format(form)
	wrong, byDefault := declared.Min.After(declared.Max.Time), declared.Min.Equal(&benchv1alpha1.DefaultDateMin)
	found.Refuse(wrong && byDefault, path.Child("max"), largest,
		"must be no earlier than min, which is %s when unset", least)
	found.Refuse(wrong && !byDefault, path.Child("min"), least, "must be no later than max, %s", largest)
}

// validateOffsets is of dates around the instant at which the load begins.
func validateOffsets(found *product.Findings, declared *benchv1alpha1.DateSettings, path *field.Path) {
	least, largest := declared.MinOffsetSeconds, declared.MaxOffsetSeconds
	const mixed = "is not possible with minOffsetSeconds and maxOffsetSeconds"
	found.Refuse(declared.Min != nil, path.Child("min"), declared.Min, mixed)
	found.Refuse(declared.Max != nil, path.Child("max"), declared.Max, mixed)
	switch {
	case least == nil:
		found.Refuse(true, path.Child("minOffsetSeconds"), "", "must be given together with maxOffsetSeconds")
	case largest == nil:
		found.Refuse(true, path.Child("maxOffsetSeconds"), "", "must be given together with minOffsetSeconds")
	default:
		found.Refuse(*least > *largest, path.Child("minOffsetSeconds"), *least,
			"must be no more than maxOffsetSeconds, %d", *largest)
	}
}

func validateChoice(found *product.Findings, choice *benchv1alpha1.ChoiceSettings, path *field.Path) {
	for i, value := range ptr.Deref(choice, benchv1alpha1.ChoiceSettings{}).Values {
		validateConstant(found, value.Value, path.Child("values").Index(i).Child("value"))
	}
}

// validateSequence refuses a sequence that leaves 64 bits before the last document.
func validateSequence(
	found *product.Findings, declared *benchv1alpha1.Field, collection *benchv1alpha1.Collection, path *field.Path,
) {
	if declared.Type != benchv1alpha1.GeneratorSequence {
		return
	}
	start, step := *declared.Sequence.Start, *declared.Sequence.Step
	documents := ptr.Deref(collection.DocumentCount, 0)
	// Floating point is exact enough for a limit this far above real numbers of documents.
	last := float64(start) + float64(step)*float64(documents)
	found.Refuse(math.Abs(last) >= math.MaxInt64, path.Child("sequence", "step"), step,
		"from start %d over %d documents the values leave 64 bits", start, documents)
}

// parameter checks the parameter with this index.
func (c operationCheck) parameter(index int, collection *benchv1alpha1.Collection) {
	parameter, path := &c.operation.Parameters[index], c.path.Child("parameters").Index(index)
	validateGenerator(c.Findings, new(spec.Drawn(parameter)), path)
	if parameter.Type == benchv1alpha1.ParameterKey {
		if !c.sampled(collection) && !ofFile(collection) {
			validateKey(c.Findings, parameter, collection, path)
		}
	}
	before := c.operation.Parameters[:index]
	if same := parameter.SameRecordAs; same != nil {
		at := slices.IndexFunc(before, called(*same))
		c.Refuse(at < 0 || before[at].Type != benchv1alpha1.ParameterKey, path.Child("sameRecordAs"), *same,
			"must be the name of a parameter of type Key that comes before this one")
	}
	// What is added to a parameter is known before it, and of the same type.
	if summand := parameter.PlusParameter; summand != nil {
		at := slices.IndexFunc(before, called(*summand))
		known := at >= 0 && (before[at].Type == parameter.Type || keyOfType(&before[at], parameter.Type, collection))
		c.Refuse(!known, path.Child("plusParameter"), *summand,
			"must be the name of a parameter that comes before this one, of type %s or a Key whose field is", parameter.Type)
	}
}

// keyOfType is whether a Key has values of the same type in BSON as a parameter of type wanted.
func keyOfType(
	key *benchv1alpha1.Parameter, wanted benchv1alpha1.ParameterType, collection *benchv1alpha1.Collection,
) bool {
	if key.Type != benchv1alpha1.ParameterKey {
		return false
	}
	declared := fieldOf(collection, *key.Key.Field)
	if declared == nil || sometimes(declared.PresencePercent, declared.NullPercent) {
		return false
	}
	return declared.Type == benchv1alpha1.GeneratorType(wanted) ||
		declared.Type == benchv1alpha1.GeneratorSequence && benchv1alpha1.GeneratorType(wanted) == benchv1alpha1.GeneratorLong
}

// fieldOf is the field with a name at the top of a collection's documents, nil for none.
func fieldOf(collection *benchv1alpha1.Collection, name string) *benchv1alpha1.Field {
	for i := range collection.Fields {
		if collection.Fields[i].Name == name {
			return &collection.Fields[i]
		}
	}
	return nil
}

// validateKey checks that there are documents to draw from, and that the field has a value that can be made from a
// record number alone.
func validateKey(
	found *product.Findings, parameter *benchv1alpha1.Parameter, collection *benchv1alpha1.Collection, path *field.Path,
) {
	found.Refuse(ptr.Deref(collection.DocumentCount, 0) == 0, path.Child("type"), parameter.Type,
		"draws a document that was loaded, and collection %s is loaded with none; set its documentCount", collection.Name)
	name, path := *parameter.Key.Field, path.Child("key", "field")
	declared := fieldOf(collection, name)
	if declared == nil {
		found.Refuse(name != idField, path, name, "is no top-level field of collection %s; name one, or _id", collection.Name)
		return
	}
	found.Refuse(declared.Document != nil || declared.Array != nil || strings.ContainsAny(name, ".["), path, name,
		"must be a single value at the top of the documents of collection %s", collection.Name)
}
