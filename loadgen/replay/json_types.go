package replay

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/records"
)

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
var typeKeys = names("$oid", "$symbol", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$binary",
	"$uuid", "$code", "$scope", "$timestamp", "$regularExpression", "$dbPointer", "$date", "$minKey", "$maxKey",
	"$undefined", "$type")

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
	if bson.UnmarshalExtJSON(wrapped, false, &document) == nil && records.Damage(document) == nil {
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
