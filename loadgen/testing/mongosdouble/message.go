package mongosdouble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

const (
	opReply   = 1
	opQuery   = 2004
	opMessage = 2013

	headerBytes     = 16
	maxMessageBytes = 48_000_000
	flagMoreToCome  = 1 << 1
)

// request is one command, however it came.
type request struct {
	id      uint32
	command bson.Raw
	// query says that it came as OP_QUERY, which is how a driver begins, and silent that no answer is wanted.
	query, silent bool
}

func readRequest(from io.Reader) (request, error) {
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(from, header); err != nil {
		return request{}, err
	}
	length := binary.LittleEndian.Uint32(header)
	if length < headerBytes || length > maxMessageBytes {
		return request{}, fmt.Errorf("a message of %d bytes", length)
	}
	body := make([]byte, length-headerBytes)
	if _, err := io.ReadFull(from, body); err != nil {
		return request{}, err
	}
	r := request{id: binary.LittleEndian.Uint32(header[4:])}
	var err error
	switch code := binary.LittleEndian.Uint32(header[12:]); code {
	case opQuery:
		r.query = true
		r.command, err = queryCommand(body)
	case opMessage:
		r.silent = binary.LittleEndian.Uint32(body)&flagMoreToCome != 0
		r.command, err = messageCommand(body[4:])
	default:
		err = fmt.Errorf("a message of code %d", code)
	}
	return r, err
}

// queryCommand is the document behind the flags, the name of the collection and two numbers.
func queryCommand(body []byte) (bson.Raw, error) {
	for at := 4; at < len(body); at++ {
		if body[at] == 0 {
			return bson.Raw(body[min(at+9, len(body)):]), nil
		}
	}
	return nil, errors.New("a query that is cut off")
}

// messageCommand puts the documents of sequences into the command as arrays.
func messageCommand(sections []byte) (bson.Raw, error) {
	var body bson.Raw
	var arrays []byte
	for len(sections) > 4 {
		length := int(binary.LittleEndian.Uint32(sections[1:]))
		if length < 5 || length >= len(sections)+1 {
			return nil, errors.New("a section that is cut off")
		}
		section := sections[1 : 1+length]
		if sections[0] == 0 {
			body = section
		} else {
			arrays = appendSequence(arrays, section[4:])
		}
		sections = sections[1+length:]
	}
	if body == nil {
		return nil, errors.New("a message without a command")
	}
	start, document := bsoncore.AppendDocumentStart(nil)
	document = append(document, body[4:len(body)-1]...)
	document = append(document, arrays...)
	document, err := bsoncore.AppendDocumentEnd(document, start)
	return bson.Raw(document), err
}

// appendSequence appends the array that a section of a name and documents stands for.
func appendSequence(to, section []byte) []byte {
	end := 0
	for section[end] != 0 {
		end++
	}
	start, to := bsoncore.AppendArrayElementStart(to, string(section[:end]))
	section = section[end+1:]
	for i := 0; len(section) > 4; i++ {
		length := binary.LittleEndian.Uint32(section)
		to = bsoncore.AppendDocumentElement(to, strconv.Itoa(i), section[:length])
		section = section[length:]
	}
	to, _ = bsoncore.AppendArrayEnd(to, start)
	return to
}

// answer writes a reply in the form in which the request came.
func (r request) answer(to io.Writer, reply bson.Raw) error {
	if r.silent {
		return nil
	}
	body := make([]byte, 5, 5+len(reply))
	code := uint32(opMessage)
	if r.query {
		// Flags, cursor and place, and one document.
		body = make([]byte, 20, 20+len(reply))
		body[16] = 1
		code = opReply
	}
	body = append(body, reply...)
	message := binary.LittleEndian.AppendUint32(nil, uint32(headerBytes+len(body)))
	for _, field := range []uint32{1, r.id, code} {
		message = binary.LittleEndian.AppendUint32(message, field)
	}
	_, err := to.Write(append(message, body...))
	return err
}
