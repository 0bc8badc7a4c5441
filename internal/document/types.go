package document

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Mistyped is an object that begins like a type of Extended JSON, and is no value of it.
type Mistyped struct {
	Path  *field.Path
	Value Value
	// Want says what is written after the key of the type.
	Want string
}

// Advice says how to write the value.
func (m Mistyped) Advice() string {
	said := "is no value of Extended JSON: write {" + m.Value.members[0].Key + ": " + m.Want +
		"} and nothing else in the braces"
	if m.Value.members[0].Value.standsIn() {
		said += "; a parameter stands for a whole value, so give the parameter this type and write {$param: name} alone"
	}
	return said
}

// standsIn says whether the value is {$param: name} or {$key: field}.
func (v Value) standsIn() bool {
	return len(v.members) == 1 && (v.members[0].Key == KeyParameter || v.members[0].Key == KeyField)
}

// MistypedIn are the mistyped objects of a value. The load generator's parser refuses them too, but in a pod. Types
// that MongoDB has given up ($symbol, $dbPointer, $undefined) and code are left to it.
//
// Source: https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md
func MistypedIn(value Value, path *field.Path) (found []Mistyped) {
	if len(value.members) > 0 {
		if known, ok := types[value.members[0].Key]; ok {
			if len(value.members) > 1 || !known.holds(value.members[0].Value) {
				found = append(found, Mistyped{path, value, known.want})
			}
			return found
		}
	}
	for _, member := range value.members {
		found = append(found, MistypedIn(member.Value, path.Child(member.Key))...)
	}
	for i, item := range value.items {
		found = append(found, MistypedIn(item, path.Index(i))...)
	}
	return found
}

// types are those of Extended JSON by the key that an object of theirs begins with.
var types = map[string]struct {
	holds func(Value) bool
	want  string
}{
	"$oid":           {text(isObjectID), `"24 hexadecimal digits"`},
	"$numberInt":     {text(isInteger(32)), `"an integer of 32 bits"`},
	"$numberLong":    {text(isInteger(64)), `"an integer of 64 bits"`},
	"$numberDouble":  {text(isDouble), `"a number, Infinity, -Infinity or NaN"`},
	"$numberDecimal": {text(isDecimal), `"a number of up to 34 digits, Infinity, -Infinity or NaN"`},
	"$date": {isDate, `"a time like 2026-01-02T15:04:05.678Z"} or {$date: {$numberLong: ` +
		`"milliseconds since 1970"}`},
	"$timestamp":         {isTimestamp, `{t: seconds, i: number}`},
	"$binary":            {isBinary, `{base64: "...", subType: "00"}`},
	"$uuid":              {text(isUUID), `"00112233-4455-6677-8899-aabbccddeeff"`},
	"$regularExpression": {isRegularExpression, `{pattern: "...", options: "i"}`},
	"$minKey":            {isOne, "1"},
	"$maxKey":            {isOne, "1"},
}

// text wants a string that is right.
func text(right func(string) bool) func(Value) bool {
	return func(v Value) bool {
		text, isString := v.Text()
		return isString && right(text)
	}
}

func isObjectID(text string) bool {
	id, err := hex.DecodeString(text)
	return err == nil && len(id) == 12
}

func isInteger(bits int) func(string) bool {
	return func(text string) bool {
		_, err := strconv.ParseInt(text, 10, bits)
		return err == nil
	}
}

func isDouble(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

var (
	decimal  = regexp.MustCompile(`^[-+]?(\d*)(?:\.(\d*))?(?:[Ee]([-+]?\d+))?$`)
	noNumber = regexp.MustCompile(`^(?i)[-+]?(nan|inf|infinity)$`)
)

// isDecimal says whether a number has a coefficient of 34 digits and an exponent from -6176 to 6111, as IEEE 754 has it
// for 128 bits.
func isDecimal(text string) bool {
	const digits, least, most = 34, -6176, 6111
	if noNumber.MatchString(text) {
		return true
	}
	parts := decimal.FindStringSubmatch(text)
	if parts == nil || parts[1]+parts[2] == "" {
		return false
	}
	exponent := 0
	if parts[3] != "" {
		var err error
		if exponent, err = strconv.Atoi(parts[3]); err != nil {
			return false
		}
	}
	exponent -= len(parts[2])
	written := strings.TrimLeft(parts[1]+parts[2], "0")
	coefficient := strings.TrimRight(written, "0")
	exponent += len(written) - len(coefficient)
	return coefficient == "" ||
		len(coefficient) <= digits && exponent >= least && exponent+len(coefficient) <= most+digits
}

func isDate(v Value) bool {
	if text, isString := v.Text(); isString {
		// The offset may have a colon or none.
		_, err := time.Parse("2006-01-02T15:04:05.999Z07:00", text)
		if err != nil {
			_, err = time.Parse("2006-01-02T15:04:05.999Z0700", text)
		}
		return err == nil
	}
	if v.kind == object {
		return v.has(map[string]func(Value) bool{"$numberLong": text(isInteger(64))})
	}
	return v.kind == scalar && isInteger(64)(v.scalar)
}

func isTimestamp(v Value) bool {
	return v.has(map[string]func(Value) bool{"t": isUnsigned, "i": isUnsigned})
}

func isUnsigned(v Value) bool {
	number, err := strconv.ParseInt(v.scalar, 10, 64)
	return v.kind == scalar && err == nil && number >= 0 && number <= math.MaxUint32
}

func isBinary(v Value) bool {
	return v.has(map[string]func(Value) bool{
		"base64": text(func(text string) bool {
			_, err := base64.StdEncoding.DecodeString(text)
			return err == nil
		}),
		"subType": text(func(text string) bool {
			_, err := strconv.ParseUint(text, 16, 8)
			return err == nil
		}),
	})
}

var uuid = regexp.MustCompile(`^[[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$`)

func isUUID(text string) bool { return uuid.MatchString(text) }

func isRegularExpression(v Value) bool {
	anything := text(func(string) bool { return true })
	return v.has(map[string]func(Value) bool{"pattern": anything, "options": anything})
}

func isOne(v Value) bool { return v.scalar == "1" }

// has says whether the value has these members, each as it should be, and no other.
func (v Value) has(members map[string]func(Value) bool) bool {
	for _, member := range v.members {
		holds, known := members[member.Key]
		if !known || !holds(member.Value) {
			return false
		}
	}
	return len(v.members) == len(members) // A key is there once: parse has seen to that.
}
