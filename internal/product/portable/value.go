package portable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// member is one pair of a JSON object, whose order encoding/json forgets.
type member struct {
	name  string
	value json.RawMessage
}

// members reads an object.
func members(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.New("must be an object in braces")
	}
	var found []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("is no JSON: %w", err)
		}
		one := member{}
		one.name, _ = name.(string)
		if err := decoder.Decode(&one.value); err != nil {
			return nil, fmt.Errorf("is no JSON: %w", err)
		}
		found = append(found, one)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one object and nothing else")
	}
	return found, nil
}

// kind is what values of a column or parameter are: one of the types that Column lists, and for a String or Binary the
// bytes that the longest has.
type kind struct {
	of        benchv1alpha1.GeneratorType
	maxLength int64
}

// takes refuses a value that a column would not hold as it is. A database of tables makes it fit without a word, by
// rounding or cutting, or compares another value than was asked for.
func (b binding) takes(column Column, value json.RawMessage, field string) *Refusal {
	given, err := b.kindOf(value)
	switch {
	case err != nil:
		return &Refusal{field, fmt.Sprintf("column %q: %v", column.Name, err)}
	case !fits(column.Type, given.of):
		return &Refusal{field, fmt.Sprintf("column %q is of type %s, and the value is of type %s", column.Name, column.Type,
			given.of)}
	case given.maxLength > column.MaxLength:
		return &Refusal{field, fmt.Sprintf("column %q has at most %d bytes, and the value may have %d", column.Name,
			column.MaxLength, given.maxLength)}
	}
	return nil
}

// fits says whether a column of one type holds a value of the other. A Long in a Double is the nearest one that there
// is, as MongoDB compares them too only where a Double has the value.
func fits(column, value benchv1alpha1.GeneratorType) bool {
	switch column {
	case benchv1alpha1.GeneratorLong:
		return value == benchv1alpha1.GeneratorInt || value == benchv1alpha1.GeneratorLong
	case benchv1alpha1.GeneratorDouble:
		return value == benchv1alpha1.GeneratorInt || value == benchv1alpha1.GeneratorLong ||
			value == benchv1alpha1.GeneratorDouble
	default:
		return column == value
	}
}

// kindOf is the kind of a value in Extended JSON, or of the parameter that stands for it.
func (b binding) kindOf(value json.RawMessage) (kind, error) {
	name, isParameter := parameterName(value)
	if !isParameter {
		return literalKind(value)
	}
	at := slices.IndexFunc(b.operation.Parameters, func(p planv1.Parameter) bool { return p.Name == name })
	if at < 0 {
		return kind{}, fmt.Errorf("there is no parameter %q", name)
	}
	parameter := b.operation.Parameters[at]
	if parameter.Type != planv1.TypeKey {
		return valueKind(parameter.Value)
	}
	for _, column := range b.columns {
		if column.Name == parameter.KeyField {
			return kind{column.Type, column.MaxLength}, nil
		}
	}
	return kind{}, fmt.Errorf("parameter %q is of field %q, which is no column", name, parameter.KeyField)
}

// parameterName reads {"$param": "name"}.
func parameterName(value json.RawMessage) (string, bool) {
	found, err := members(value)
	if err != nil || len(found) != 1 || found[0].name != "$param" {
		return "", false
	}
	var name string
	return name, json.Unmarshal(found[0].value, &name) == nil
}

// firstDate and lastDate are what a DATETIME is sure to hold, in milliseconds since 1970: the years 1000 to 9999.
const (
	firstDate = -30_610_224_000_000
	lastDate  = 253_402_300_799_999
)

// serialDigits is how many digits the number of a Serial may have, however few are asked for.
const serialDigits = 19

// valueKind is the kind of a value that is generated.
func valueKind(value planv1.Value) (kind, error) {
	if value.PresencePercent > 0 || value.NullPercent > 0 {
		return kind{}, errors.New("a column is never empty; leave out presencePercent and nullPercent")
	}
	switch value.Type {
	case benchv1alpha1.GeneratorInt, benchv1alpha1.GeneratorLong, benchv1alpha1.GeneratorDouble,
		benchv1alpha1.GeneratorBool, benchv1alpha1.GeneratorUUID, benchv1alpha1.GeneratorObjectID:
		return kind{of: value.Type}, nil
	case benchv1alpha1.GeneratorDate:
		return dateKind(value.Min, value.Max)
	case benchv1alpha1.GeneratorSequence:
		return kind{of: benchv1alpha1.GeneratorLong}, nil
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return kind{value.Type, value.Max}, nil
	case benchv1alpha1.GeneratorSerial:
		return kind{benchv1alpha1.GeneratorString, int64(len(value.Prefix) + max(value.Digits, serialDigits))}, nil
	case benchv1alpha1.GeneratorChoice:
		return choiceKind(value.Choices)
	default:
		return kind{}, fmt.Errorf("a value of type %s is no value of a column", value.Type)
	}
}

// choiceKind is the kind that all values of a Choice have.
func choiceKind(choices []planv1.Choice) (kind, error) {
	var all kind
	for _, choice := range choices {
		one, err := literalKind(json.RawMessage(choice.Value))
		if err != nil {
			return kind{}, err
		}
		if all.of != "" && all.of != one.of {
			return kind{}, fmt.Errorf("the values of a Choice must be of one type for a column, and are of %s and %s",
				all.of, one.of)
		}
		all = kind{one.of, max(all.maxLength, one.maxLength)}
	}
	if all.of == "" {
		return kind{}, errors.New("a Choice without values is no value of a column")
	}
	return all, nil
}

// literalKind is the kind of a value in Extended JSON.
func literalKind(value json.RawMessage) (kind, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return kind{}, errors.New("there is no value")
	}
	switch value[0] {
	case '{':
		return typedKind(value)
	case '"':
		return textKind(value)
	case 't', 'f':
		return kind{of: benchv1alpha1.GeneratorBool}, nil
	case '[':
		return kind{}, errors.New("an array is no value of a column")
	case 'n':
		return kind{}, errors.New("null is no value of a column, for columns are never empty")
	default:
		return numberKind(string(value))
	}
}

func textKind(value json.RawMessage) (kind, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return kind{}, fmt.Errorf("is no JSON: %w", err)
	}
	return kind{benchv1alpha1.GeneratorString, int64(len(text))}, nil
}

// numberKind is what a bare number of Extended JSON becomes: the smallest integer that it fits into, or a Double.
func numberKind(text string) (kind, error) {
	if _, err := strconv.ParseInt(text, 10, 32); err == nil {
		return kind{of: benchv1alpha1.GeneratorInt}, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return kind{of: benchv1alpha1.GeneratorLong}, nil
	}
	return doubleKind(text)
}

// doubleKind is that of a Double, if a column can hold it.
func doubleKind(text string) (kind, error) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return kind{}, fmt.Errorf("a Double of a table is a finite number, and %s is none", text)
	}
	return kind{of: benchv1alpha1.GeneratorDouble}, nil
}

// dateKind is that of dates from one to another, in milliseconds since 1970, if a column can hold them.
func dateKind(first, last int64) (kind, error) {
	if first < firstDate || last > lastDate {
		return kind{}, errors.New("a table has only dates of the years 1000 to 9999, in UTC")
	}
	return kind{of: benchv1alpha1.GeneratorDate}, nil
}

// wrapped are types of Extended JSON that are written as an object of one key, and of which a column holds every value.
var wrapped = map[string]benchv1alpha1.GeneratorType{
	"$oid": benchv1alpha1.GeneratorObjectID, "$uuid": benchv1alpha1.GeneratorUUID,
	"$numberInt": benchv1alpha1.GeneratorInt, "$numberLong": benchv1alpha1.GeneratorLong,
}

// typedKind is the kind of a value that is written as an object.
func typedKind(value json.RawMessage) (kind, error) {
	found, err := members(value)
	if err != nil {
		return kind{}, err
	}
	if len(found) != 1 {
		return kind{}, errors.New("a document is no value of a column")
	}
	name := found[0].name
	switch {
	case wrapped[name] != "":
		return kind{of: wrapped[name]}, nil
	case name == "$date":
		return writtenDateKind(found[0].value)
	case name == "$numberDouble":
		return doubleKind(strings.Trim(string(found[0].value), `"`))
	case name == "$binary":
		return binaryKind(found[0].value)
	case strings.HasPrefix(name, "$"):
		return kind{}, fmt.Errorf("%q is no value of a column, and no comparison that can be asked of a table", name)
	default:
		return kind{}, errors.New("a document is no value of a column")
	}
}

// dateLayouts are the forms that a $date may have as a text.
var dateLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700"}

// writtenDateKind is the kind of a $date: milliseconds since 1970, bare or as a $numberLong, or a text.
func writtenDateKind(value json.RawMessage) (kind, error) {
	digits := string(value)
	if found, err := members(value); err == nil && len(found) == 1 && found[0].name == "$numberLong" {
		digits = strings.Trim(string(found[0].value), `"`)
	}
	if millis, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return dateKind(millis, millis)
	}
	for _, layout := range dateLayouts {
		if at, err := time.Parse(`"`+layout+`"`, digits); err == nil {
			return dateKind(at.UnixMilli(), at.UnixMilli())
		}
	}
	return kind{}, fmt.Errorf("a $date that cannot be read: %s", value)
}

// The subtypes of a $binary that columns have.
const (
	plainBinary = "00"
	uuidBinary  = "04"
)

func binaryKind(value json.RawMessage) (kind, error) {
	var binary struct {
		Base64  []byte `json:"base64"`
		SubType string `json:"subType"`
	}
	if err := json.Unmarshal(value, &binary); err != nil {
		return kind{}, fmt.Errorf("a $binary that cannot be read: %w", err)
	}
	switch binary.SubType {
	case plainBinary, "0":
		return kind{benchv1alpha1.GeneratorBinary, int64(len(binary.Base64))}, nil
	case uuidBinary, "4":
		return kind{of: benchv1alpha1.GeneratorUUID}, nil
	default:
		return kind{}, fmt.Errorf("a $binary of subtype %q is no value of a column", binary.SubType)
	}
}
