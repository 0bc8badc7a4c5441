package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	headerBytes = 16
	// opMessage is the code of OP_MSG, the only one that is spoken here.
	opMessage = 2013

	kindBody     = 0
	kindSequence = 1

	flagChecksum   = 1 << 0
	flagMoreToCome = 1 << 1
	// requiredFlags are those of which a reader must know the meaning.
	requiredFlags = 0xffff

	checksumBytes = 4
	flagsBytes    = 4
	// smallestBody is an empty document.
	smallestBody = 5
)

// Lead is how many bytes a request leaves free in front of its command: the header, the flags and the section's kind.
const Lead = headerBytes + flagsBytes + 1

// Limits that hold until a server has told its own.
const (
	defaultMaxMessageBytes  = 48_000_000
	defaultMaxDocumentBytes = 16 << 20
	defaultMaxBatch         = 100_000
)

// ErrProtocol is what every reply is wrapped in that is not as the protocol says. The connection cannot be used any
// more.
var ErrProtocol = errors.New("the reply is not as the wire protocol says")

// ErrTooLarge is a request that is larger than the server takes. Nothing of it was sent.
var ErrTooLarge = errors.New("the request is larger than the server takes")

// putHeader fills in the first Lead bytes of a request.
func putHeader(request []byte, id, flags uint32) {
	binary.LittleEndian.PutUint32(request, uint32(len(request)))
	binary.LittleEndian.PutUint32(request[4:], id)
	binary.LittleEndian.PutUint32(request[8:], 0)
	binary.LittleEndian.PutUint32(request[12:], opMessage)
	binary.LittleEndian.PutUint32(request[16:], flags)
	request[20] = kindBody
}

// BeginSequence appends the beginning of a section that holds documents one after the other, as the argument of a name
// of the command before it, and returns where it began.
func BeginSequence(request []byte, name string) (start int, _ []byte) {
	request = append(request, kindSequence)
	start = len(request)
	request = append(request, 0, 0, 0, 0)
	return start, append(append(request, name...), 0)
}

// EndSequence ends the section that began at start.
func EndSequence(request []byte, start int) {
	binary.LittleEndian.PutUint32(request[start:], uint32(len(request)-start))
}

// body is the document of a whole message that answers the request with this number.
func body(message []byte, request uint32) ([]byte, error) {
	if len(message) < Lead+smallestBody {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrProtocol, len(message))
	}
	if code := binary.LittleEndian.Uint32(message[12:]); code != opMessage {
		return nil, fmt.Errorf("%w: it has code %d", ErrProtocol, code)
	}
	if to := binary.LittleEndian.Uint32(message[8:]); to != request {
		return nil, fmt.Errorf("%w: it answers request %d, not %d", ErrProtocol, to, request)
	}
	flags := binary.LittleEndian.Uint32(message[16:])
	if flags&requiredFlags&^flagChecksum != 0 {
		return nil, fmt.Errorf("%w: it has the flags %#x", ErrProtocol, flags)
	}
	if flags&flagChecksum != 0 {
		message = message[:len(message)-checksumBytes]
	}
	return bodySection(message[headerBytes+flagsBytes:])
}

// bodySection finds the one section of kind 0.
func bodySection(sections []byte) ([]byte, error) {
	var document []byte
	for len(sections) > 0 {
		kind := sections[0]
		length, ok := size(sections[1:])
		if !ok || kind > kindSequence || kind == kindBody && (document != nil || length < smallestBody) {
			return nil, fmt.Errorf("%w: it has a section of kind %d that is cut off, or one too many", ErrProtocol, kind)
		}
		if kind == kindBody {
			document = sections[1 : 1+length]
		}
		sections = sections[1+length:]
	}
	if document == nil {
		return nil, fmt.Errorf("%w: it has no document", ErrProtocol)
	}
	return document, nil
}

// size reads a length that counts itself, and says whether that many bytes are there.
func size(bytes []byte) (int, bool) {
	if len(bytes) < 4 {
		return 0, false
	}
	length := binary.LittleEndian.Uint32(bytes)
	return int(length), length >= 4 && uint64(length) <= uint64(len(bytes))
}
