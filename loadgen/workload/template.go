package workload

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// action is what a piece of a template does.
type action uint8

const (
	// copyBytes appends the piece's bytes.
	copyBytes action = iota
	// putValue appends the piece's bytes, which are a type, a name and a zero byte, sets the type and appends the value.
	putValue
	// putName appends the piece's one byte, which is a type, and a parameter's text as the name.
	putName
	// putNamedValue appends a type, a parameter's text as the name, and another parameter's value.
	putNamedValue
	// putCaptured appends the piece's bytes as putValue does, and a captured value, whose slot the parameter is.
	putCaptured
	// openDocument leaves room for a length.
	openDocument
	// closeDocument ends the document that was opened last, and writes its length.
	closeDocument
)

type piece struct {
	action action
	bytes  []byte
	// parameter is the one of the value, name the one of the name; each counts only where the action needs it.
	parameter, name int
}

// references are the parameters that a piece needs.
func (p *piece) references() []int {
	switch p.action {
	case putValue:
		return []int{p.parameter}
	case putName:
		return []int{p.name}
	case putNamedValue:
		return []int{p.name, p.parameter}
	default:
		return nil
	}
}

// template is a document or array with holes for parameters.
type template struct {
	// constant is the whole when there is no hole.
	constant bson.Raw
	pieces   []piece
}

// lengthBytes is the size of a document's length, which comes first in it.
const lengthBytes = 4

// render fills in the holes. The result is the template's own constant, or lies at the end of the request's buffer.
func (t *template) render(req *Request) bson.Raw {
	if t.pieces == nil {
		return t.constant
	}
	start := len(req.buffer)
	dst, open := req.buffer, 0
	for i := range t.pieces {
		p := &t.pieces[i]
		switch p.action {
		case copyBytes:
			dst = append(dst, p.bytes...)
		case putValue:
			value := &req.parameters[p.parameter]
			header := len(dst)
			dst = append(dst, p.bytes...)
			dst[header] = value.bsonType
			dst = append(dst, req.values[value.start:value.end]...)
		case putName:
			dst = req.appendName(append(dst, p.bytes...), p.name)
		case putNamedValue:
			value := &req.parameters[p.parameter]
			dst = req.appendName(append(dst, value.bsonType), p.name)
			dst = append(dst, req.values[value.start:value.end]...)
		case putCaptured:
			dst = req.appendCaptured(dst, p)
		case openDocument:
			// Until its length is known, the room for it remembers the document around this one.
			dst = binary.LittleEndian.AppendUint32(dst, uint32(open))
			open = len(dst) - lengthBytes
		case closeDocument:
			dst = append(dst, 0)
			length := dst[open:]
			open = int(binary.LittleEndian.Uint32(length))
			binary.LittleEndian.PutUint32(length, uint32(len(length)))
		}
	}
	req.buffer = dst
	return bson.Raw(dst[start:len(dst):len(dst)])
}

// appendName appends the text of a parameter and the zero byte at its end: what follows the length of a BSON string.
func (req *Request) appendName(dst []byte, parameter int) []byte {
	value := &req.parameters[parameter]
	return append(dst, req.values[value.start+lengthBytes:value.end]...)
}

// appendCaptured appends a captured value with its header. What is missing is noted, and a null in its place.
func (req *Request) appendCaptured(dst []byte, p *piece) []byte {
	header := len(dst)
	dst = append(dst, p.bytes...)
	if req.frame == nil || req.frame.slots[p.parameter].bsonType == 0 {
		req.missing = p.parameter
		dst[header] = byte(bson.TypeNull)
		return dst
	}
	captured := &req.frame.slots[p.parameter]
	dst[header] = byte(captured.bsonType)
	return append(dst, captured.value...)
}
