package replay

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// A recording is read while it is sent, and what that costs is the load generator's. Package bson takes some hundred
// microseconds for a line, and as many allocations. This writes BSON as it reads, in one pass, and leaves what is seldom
// to that package.

var (
	errJSON  = errors.New("this is no JSON")
	errDepth = errors.New("it is nested too deeply")
)

// maxDepth is how deeply documents may be nested: more than a server takes.
const maxDepth = 200

// parseJSON reads one document in Extended JSON of either form.
func parseJSON(line []byte) (bson.Raw, error) {
	p := jsonParser{text: line}
	p.space()
	if p.peek() != '{' {
		return nil, errJSON
	}
	out, err := p.document(make([]byte, 0, len(line)), 0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at != len(line) {
		return nil, errJSON
	}
	return out, nil
}

// jsonParser reads a text from at on.
type jsonParser struct {
	text []byte
	at   int
	// scratch holds a text that had escapes in it.
	scratch []byte
}

// peek is the next byte, 0 at the end.
func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// takes goes on behind a byte, if it is the next one but for space.
func (p *jsonParser) takes(want byte) bool {
	p.space()
	if p.peek() != want {
		return false
	}
	p.at++
	return true
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// document appends an object.
func (p *jsonParser) document(out []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	p.at++ // The brace.
	start := len(out)
	out = append(out, 0, 0, 0, 0)
	if p.takes('}') {
		return ended(out, start), nil
	}
	for {
		p.space()
		key, err := p.string()
		if err != nil || bytes.IndexByte(key, 0) >= 0 || !utf8.Valid(key) || !p.takes(':') {
			return nil, errJSON
		}
		kind := len(out)
		out = append(append(append(out, 0), key...), 0)
		if out, err = p.value(out, kind, depth); err != nil {
			return nil, err
		}
		if p.takes('}') {
			return ended(out, start), nil
		}
		if !p.takes(',') {
			return nil, errJSON
		}
	}
}

// array appends an array.
func (p *jsonParser) array(out []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	p.at++ // The bracket.
	start := len(out)
	out = append(out, 0, 0, 0, 0)
	if p.takes(']') {
		return ended(out, start), nil
	}
	for index := int64(0); ; index++ {
		kind := len(out)
		out = append(strconv.AppendInt(append(out, 0), index, 10), 0)
		var err error
		if out, err = p.value(out, kind, depth); err != nil {
			return nil, err
		}
		if p.takes(']') {
			return ended(out, start), nil
		}
		if !p.takes(',') {
			return nil, errJSON
		}
	}
}

// ended ends a document that began at start.
func ended(out []byte, start int) []byte {
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start))
	return out
}

// value appends a value, and writes its type at kind.
func (p *jsonParser) value(out []byte, kind, depth int) ([]byte, error) {
	p.space()
	switch next := p.peek(); next {
	case '{':
		if made, typed, ok := p.typed(out); ok {
			made[kind] = byte(typed)
			return made, nil
		}
		out[kind] = byte(bsoncore.TypeEmbeddedDocument)
		return p.document(out, depth+1)
	case '[':
		out[kind] = byte(bsoncore.TypeArray)
		return p.array(out, depth+1)
	case '"':
		text, err := p.string()
		if err != nil || !utf8.Valid(text) {
			return nil, errJSON
		}
		out[kind] = byte(bsoncore.TypeString)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(text)+1))
		return append(append(out, text...), 0), nil
	case 't', 'f', 'n':
		return p.word(out, kind)
	default:
		return p.number(out, kind)
	}
}

// word appends true, false or null.
func (p *jsonParser) word(out []byte, kind int) ([]byte, error) {
	for _, one := range []struct {
		text string
		kind bsoncore.Type
		more []byte
	}{
		{"true", bsoncore.TypeBoolean, []byte{1}}, {"false", bsoncore.TypeBoolean, []byte{0}}, {"null", bsoncore.TypeNull, nil},
	} {
		if bytes.HasPrefix(p.text[p.at:], []byte(one.text)) {
			p.at += len(one.text)
			out[kind] = byte(one.kind)
			return append(out, one.more...), nil
		}
	}
	return nil, errJSON
}

// number appends a number: whole ones as the smallest type that holds them.
func (p *jsonParser) number(out []byte, kind int) ([]byte, error) {
	begin, whole := p.at, true
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '.' || c == 'e' || c == 'E' || c == '+' {
			whole = false
		} else if c != '-' && (c < '0' || c > '9') {
			break
		}
	}
	text := string(p.text[begin:p.at])
	if !isNumber(text) {
		return nil, errJSON
	}
	if whole {
		if integer, err := strconv.ParseInt(text, 10, 64); err == nil {
			return appendInteger(out, kind, integer), nil
		}
	}
	real, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errJSON
	}
	out[kind] = byte(bsoncore.TypeDouble)
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(real)), nil
}

// appendInteger appends a whole number as the smallest type that holds it.
func appendInteger(out []byte, kind int, integer int64) []byte {
	if integer == int64(int32(integer)) {
		out[kind] = byte(bsoncore.TypeInt32)
		return binary.LittleEndian.AppendUint32(out, uint32(integer))
	}
	out[kind] = byte(bsoncore.TypeInt64)
	return binary.LittleEndian.AppendUint64(out, uint64(integer))
}

// isNumber says of signs, digits, points and exponents whether they begin as a number of JSON does; strconv knows the
// rest.
func isNumber(text string) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	digit := func(at int) bool { return at < len(text) && text[at] >= '0' && text[at] <= '9' }
	return digit(0) && (text[0] != '0' || !digit(1)) && digit(len(text)-1)
}

// string reads a text in quotes. It is valid until the next one is read.
func (p *jsonParser) string() ([]byte, error) {
	if p.peek() != '"' {
		return nil, errJSON
	}
	begin := p.at + 1
	for at := begin; at < len(p.text); at++ {
		switch c := p.text[at]; {
		case c == '"':
			p.at = at + 1
			return p.text[begin:at], nil
		case c == '\\':
			return p.escaped(begin, at)
		case c < ' ':
			return nil, errJSON
		}
	}
	return nil, errJSON
}

// escapes are those of one letter.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escaped reads a text that has its first escape at a place.
func (p *jsonParser) escaped(begin, at int) ([]byte, error) {
	out := append(p.scratch[:0], p.text[begin:at]...)
	for at < len(p.text) {
		c := p.text[at]
		switch {
		case c == '"':
			p.at, p.scratch = at+1, out
			return out, nil
		case c < ' ':
			return nil, errJSON
		case c != '\\':
			out = append(out, c)
			at++
			continue
		case at+1 == len(p.text):
			return nil, errJSON
		}
		if one := escapes[p.text[at+1]]; one != 0 {
			out = append(out, one)
			at += 2
			continue
		}
		r, length := escapedRune(p.text[at:])
		if length == 0 {
			return nil, errJSON
		}
		out = utf8.AppendRune(out, r)
		at += length
	}
	return nil, errJSON
}

// escapedRune reads \uXXXX, or two of them that are one character, and how long that is; 0 if it is none.
func escapedRune(text []byte) (r rune, length int) {
	first, ok := unit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, unitBytes
	}
	if second, ok := unit(text[unitBytes:]); ok {
		if both := utf16.DecodeRune(first, second); both != utf8.RuneError {
			return both, 2 * unitBytes
		}
	}
	return utf8.RuneError, unitBytes
}

// unitBytes is how long \uXXXX is.
const unitBytes = 6

func unit(text []byte) (rune, bool) {
	if len(text) < unitBytes || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var both [2]byte
	if _, err := hex.Decode(both[:], text[2:unitBytes]); err != nil {
		return 0, false
	}
	return rune(binary.BigEndian.Uint16(both[:])), true
}

// typed appends the value of an object that stands for a value of another type, such as {"$oid": "…"}. It says no, and
// goes on nowhere, for every other object.
func (p *jsonParser) typed(out []byte) ([]byte, bsoncore.Type, bool) {
	begin := p.at
	p.at++
	p.space()
	key, err := p.string()
	if err != nil || len(key) == 0 || key[0] != '$' || !typeKeys[string(key)] {
		p.at = begin
		return out, 0, false
	}
	name := string(key)
	if p.takes(':') {
		p.space()
		if made, kind, ok := p.often(out, name); ok && p.takes('}') {
			return made, kind, true
		}
	}
	p.at = begin
	return p.seldom(out)
}

// typeKeys are the first keys of objects that stand for values of other types.
var typeKeys = names("$oid", "$symbol", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$binary", "$uuid",
	"$code", "$scope", "$timestamp", "$regularExpression", "$dbPointer", "$date", "$minKey", "$maxKey", "$undefined", "$type")

// often appends values of the types that recordings are full of.
func (p *jsonParser) often(out []byte, name string) ([]byte, bsoncore.Type, bool) {
	if name == "$date" && p.peek() == '{' {
		return p.canonicalDate(out)
	}
	text, err := p.string()
	if err != nil {
		return out, 0, false
	}
	switch name {
	case "$oid":
		var id [12]byte
		read, err := hex.Decode(id[:], text[:min(len(text), 2*len(id))])
		return append(out, id[:]...), bsoncore.TypeObjectID, err == nil && read == len(id) && len(text) == 2*len(id)
	case "$numberInt":
		number, err := strconv.ParseInt(string(text), 10, 32)
		return binary.LittleEndian.AppendUint32(out, uint32(number)), bsoncore.TypeInt32, err == nil
	case "$numberLong":
		number, err := strconv.ParseInt(string(text), 10, 64)
		return binary.LittleEndian.AppendUint64(out, uint64(number)), bsoncore.TypeInt64, err == nil
	case "$date":
		at, err := time.Parse(time.RFC3339Nano, string(text))
		return binary.LittleEndian.AppendUint64(out, uint64(at.UnixMilli())), bsoncore.TypeDateTime, err == nil
	case "$uuid":
		return appendUUID(out, text)
	default:
		return out, 0, false
	}
}

// canonicalDate appends {"$numberLong": "…"} as a date.
func (p *jsonParser) canonicalDate(out []byte) ([]byte, bsoncore.Type, bool) {
	p.at++
	p.space()
	key, err := p.string()
	if err != nil || string(key) != "$numberLong" || !p.takes(':') {
		return out, 0, false
	}
	p.space()
	text, err := p.string()
	if err != nil {
		return out, 0, false
	}
	millis, err := strconv.ParseInt(string(text), 10, 64)
	return binary.LittleEndian.AppendUint64(out, uint64(millis)), bsoncore.TypeDateTime, err == nil && p.takes('}')
}

// appendUUID appends one that is written with dashes.
func appendUUID(out, text []byte) ([]byte, bsoncore.Type, bool) {
	const subtype, length = 4, 36
	if len(text) != length || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return out, 0, false
	}
	var digits [32]byte
	copy(digits[:], text[:8])
	copy(digits[8:], text[9:13])
	copy(digits[12:], text[14:18])
	copy(digits[16:], text[19:23])
	copy(digits[20:], text[24:])
	var id [16]byte
	if _, err := hex.Decode(id[:], digits[:]); err != nil {
		return out, 0, false
	}
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(id))), subtype)
	return append(out, id[:]...), bsoncore.TypeBinary, true
}

// seldom appends the value of any type as package bson reads it.
func (p *jsonParser) seldom(out []byte) ([]byte, bsoncore.Type, bool) {
	begin := p.at
	if !p.skip() {
		p.at = begin
		return out, 0, false
	}
	wrapped := append(append([]byte(`{"v": `), p.text[begin:p.at]...), '}')
	var document bson.Raw
	if bson.UnmarshalExtJSON(wrapped, false, &document) == nil && document.Validate() == nil {
		if value := document.Lookup("v"); value.Type != bson.TypeEmbeddedDocument {
			return append(out, value.Value...), bsoncore.Type(value.Type), true
		}
	}
	p.at = begin
	return out, 0, false
}

// skip goes on behind an object.
func (p *jsonParser) skip() bool {
	depth := 0
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if _, err := p.string(); err != nil {
				return false
			}
			continue
		}
		p.at++
		if depth == 0 {
			return true
		}
	}
	return false
}
