package validation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func validateField(declared *benchv1alpha1.Field, path *field.Path) field.ErrorList {
	errs := validateGenerator(&declared.Generator, path)
	errs = append(errs, validateDocument(declared.Document, path.Child("document"))...)
	if declared.Array == nil {
		return errs
	}
	element := path.Child("array", "element")
	errs = append(errs, validateGenerator(&declared.Array.Element.Generator, element)...)
	return append(errs, validateDocument(declared.Array.Element.Document, element.Child("document"))...)
}

func validateDocument(document *benchv1alpha1.DocumentGenerator, path *field.Path) field.ErrorList {
	if document == nil {
		return nil
	}
	fields := path.Child("fields")
	names := make([]string, 0, len(document.Fields))
	var errs field.ErrorList
	for i := range document.Fields {
		names = append(names, document.Fields[i].Name)
		errs = append(errs, validateGenerator(&document.Fields[i].Generator, fields.Index(i))...)
	}
	return append(errs, validatePrefixes(names, fields)...)
}

// validateGenerator checks the settings of one value.
func validateGenerator(generator *benchv1alpha1.Generator, path *field.Path) field.ErrorList {
	errs := validateDistribution(generator.Type, generator.Distribution, path.Child("distribution"))
	switch generator.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong:
		errs = append(errs, validateInteger(generator, path.Child("integer"))...)
	case benchv1alpha1.GeneratorDouble:
		errs = append(errs, validateDouble(generator.Double, path.Child("double"))...)
	case benchv1alpha1.GeneratorDate:
		errs = append(errs, validateDate(generator.Date, path.Child("date"))...)
	case benchv1alpha1.GeneratorChoice:
		errs = append(errs, validateChoice(generator.Choice, path.Child("choice"))...)
	default:
	}
	return errs
}

// validateDistribution refuses a distribution that would be ignored.
func validateDistribution(
	kind benchv1alpha1.GeneratorType, distribution *benchv1alpha1.Distribution, path *field.Path,
) field.ErrorList {
	if distribution == nil {
		return nil
	}
	key := benchv1alpha1.GeneratorType(benchv1alpha1.ParameterKey)
	if distribution.Type == benchv1alpha1.DistributionLatest && kind != key {
		return field.ErrorList{field.Invalid(path.Child("type"), distribution.Type,
			"favours the records that were inserted last, and only a parameter of type Key draws records; Zipfian favours "+
				"the low values of a range")}
	}
	switch kind {
	case key, benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong, benchv1alpha1.GeneratorDouble,
		benchv1alpha1.GeneratorDate, benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return nil
	default:
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("a value of type %s is not drawn from a range", kind))}
	}
}

func validateInteger(generator *benchv1alpha1.Generator, path *field.Path) field.ErrorList {
	least, largest := *generator.Integer.Min, *generator.Integer.Max
	var errs field.ErrorList
	if generator.Type == benchv1alpha1.GeneratorInt {
		errs = append(errs, validateInt32(least, path.Child("min"))...)
		errs = append(errs, validateInt32(largest, path.Child("max"))...)
	}
	// The number of values has to fit into 63 bits, for drawing from them.
	if largest >= least && uint64(largest-least) >= math.MaxInt64 {
		errs = append(errs, field.Invalid(path.Child("max"), largest,
			fmt.Sprintf("must be less than 9223372036854775807 above min, %d", least)))
	}
	return errs
}

func validateInt32(number int64, path *field.Path) field.ErrorList {
	if number >= math.MinInt32 && number <= math.MaxInt32 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, number, "does not fit into the 32 bits of an Int; use type Long")}
}

func validateDouble(declared *benchv1alpha1.DoubleSettings, path *field.Path) field.ErrorList {
	low, high := *declared.Min, *declared.Max
	least, err := strconv.ParseFloat(low, 64)
	if err != nil {
		return field.ErrorList{field.Invalid(path.Child("min"), low, "must be a decimal number")}
	}
	bound, err := strconv.ParseFloat(high, 64)
	if err != nil {
		return field.ErrorList{field.Invalid(path.Child("max"), high, "must be a decimal number")}
	}
	if least >= bound {
		return field.ErrorList{field.Invalid(path.Child("min"), low, "must be less than max, "+high)}
	}
	return nil
}

func validateDate(declared *benchv1alpha1.DateSettings, path *field.Path) field.ErrorList {
	least, largest := declared.Min, declared.Max
	if !least.After(largest.Time) {
		return nil
	}
	const form = "2006-01-02T15:04:05Z"
	if least.Equal(&benchv1alpha1.DefaultDateMin) {
		return field.ErrorList{field.Invalid(path.Child("max"), largest.UTC().Format(form),
			"must be no earlier than min, which is "+least.UTC().Format(form)+" when unset")}
	}
	return field.ErrorList{field.Invalid(path.Child("min"), least.UTC().Format(form),
		"must be no later than max, "+largest.UTC().Format(form))}
}

func validateChoice(choice *benchv1alpha1.ChoiceSettings, path *field.Path) field.ErrorList {
	if choice == nil {
		return nil
	}
	var errs field.ErrorList
	for i, value := range choice.Values {
		found, err := references(value.Value, anyValue)
		valuePath := path.Child("values").Index(i).Child("value")
		if err != nil {
			errs = append(errs, field.Invalid(valuePath, value.Value, err.Error()+`; a text needs quotes of its own: '"red"'`))
		}
		if len(found) > 0 {
			errs = append(errs, field.Invalid(valuePath, value.Value, "a choice cannot refer to a parameter"))
		}
	}
	return errs
}

// validateSequence refuses a sequence that leaves 64 bits before the last document.
func validateSequence(
	declared *benchv1alpha1.Field, collection *benchv1alpha1.Collection, path *field.Path,
) field.ErrorList {
	if declared.Type != benchv1alpha1.GeneratorSequence {
		return nil
	}
	start, step := *declared.Sequence.Start, *declared.Sequence.Step
	documents := ptr.Deref(collection.DocumentCount, 0)
	// In floating point, which is exact enough for a limit that nobody comes near on purpose.
	if last := float64(start) + float64(step)*float64(documents); math.Abs(last) < math.MaxInt64 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("sequence", "step"), step, fmt.Sprintf(
		"from start %d over %d documents the values leave 64 bits", start, documents))}
}

// parameter checks the parameter with this index.
func (c operationCheck) parameter(index int, collection *benchv1alpha1.Collection) field.ErrorList {
	parameter, path := &c.operation.Parameters[index], c.path.Child("parameters").Index(index)
	errs := validateGenerator(&benchv1alpha1.Generator{
		Type:          benchv1alpha1.GeneratorType(parameter.Type),
		Distribution:  parameter.Distribution,
		ValueSettings: parameter.ValueSettings,
	}, path)
	if parameter.Type == benchv1alpha1.ParameterKey {
		errs = append(errs, validateKey(parameter, collection, path)...)
	}
	before := c.operation.Parameters[:index]
	errs = append(errs, sameRecord(parameter, before, path.Child("sameRecordAs"))...)
	return append(errs, summand(parameter, before, collection, path.Child("plusParameter"))...)
}

// sameRecord checks that the record of a key is that of one before it.
func sameRecord(
	parameter *benchv1alpha1.Parameter, before []benchv1alpha1.Parameter, path *field.Path,
) field.ErrorList {
	if parameter.SameRecordAs == nil {
		return nil
	}
	at := slices.IndexFunc(before, called(*parameter.SameRecordAs))
	if at >= 0 && before[at].Type == benchv1alpha1.ParameterKey {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *parameter.SameRecordAs,
		"must be the name of a parameter of type Key that comes before this one")}
}

// summand checks that what is added to a parameter is known before it, and of the same type.
func summand(
	parameter *benchv1alpha1.Parameter, before []benchv1alpha1.Parameter, collection *benchv1alpha1.Collection,
	path *field.Path,
) field.ErrorList {
	if parameter.PlusParameter == nil {
		return nil
	}
	at := slices.IndexFunc(before, called(*parameter.PlusParameter))
	if at >= 0 && (before[at].Type == parameter.Type || keyOfType(&before[at], parameter.Type, collection)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *parameter.PlusParameter, fmt.Sprintf(
		"must be the name of a parameter that comes before this one, of type %s or a Key whose field is", parameter.Type))}
}

// keyOfType is whether a Key has values of the same type in BSON as a parameter of type wanted.
func keyOfType(
	key *benchv1alpha1.Parameter, wanted benchv1alpha1.ParameterType, collection *benchv1alpha1.Collection,
) bool {
	if key.Type != benchv1alpha1.ParameterKey {
		return false
	}
	for i := range collection.Fields {
		if declared := &collection.Fields[i]; declared.Name == *key.Key.Field {
			return declared.Type == benchv1alpha1.GeneratorType(wanted) ||
				declared.Type == benchv1alpha1.GeneratorSequence &&
					benchv1alpha1.GeneratorType(wanted) == benchv1alpha1.GeneratorLong
		}
	}
	return false
}

// validateKey checks that there are documents to draw from, and that the field has a value that can be made from a
// record number alone.
func validateKey(
	parameter *benchv1alpha1.Parameter, collection *benchv1alpha1.Collection, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	if ptr.Deref(collection.DocumentCount, 0) == 0 {
		errs = append(errs, field.Invalid(path.Child("type"), parameter.Type, fmt.Sprintf(
			"draws a document that was loaded, and collection %s is loaded with none; set its documentCount", collection.Name)))
	}
	name := *parameter.Key.Field
	for i := range collection.Fields {
		declared := &collection.Fields[i]
		if declared.Name != name {
			continue
		}
		if declared.Document != nil || declared.Array != nil || strings.Contains(name, ".") {
			errs = append(errs, field.Invalid(path.Child("key", "field"), name,
				"must be a single value at the top of the documents of collection "+collection.Name))
		}
		return errs
	}
	if name != idField {
		errs = append(errs, field.Invalid(path.Child("key", "field"), name,
			"is no top-level field of collection "+collection.Name))
	}
	return errs
}
