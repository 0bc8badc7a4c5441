package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
)

// Conn is a connection over which OP_MSG goes.
//
// After an error of Call, Send or Receive that is not ErrTooLarge nothing else may be done with it than Close.
type Conn struct {
	Link
	hello Hello
	// limit is the largest message that the server takes.
	limit int
	// sent is the number of the request that was sent last, received that of the last reply's. Between them are those
	// whose replies are still to come.
	sent, received uint32
	direct         direct
}

// Dial connects to a server, and returns once it is ready for commands, or at the stage that the config says. Errors
// hold no password.
func Dial(ctx context.Context, address string, config Config) (*Conn, error) {
	c := &Conn{limit: defaultMaxMessageBytes}
	if err := c.Dial(ctx, address, config, func() error { return c.open(config) }); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Conn) open(config Config) error {
	if raw, ok := c.conn.(syscall.Conn); ok {
		c.direct.open(c, raw)
	}
	hello, err := c.shakeHands(config)
	if err != nil {
		return err
	}
	c.hello, c.limit = hello, hello.MaxMessageBytes
	if config.Login == nil || config.Until == Greeted {
		return nil
	}
	return config.Login.Authenticate(hello.mechanisms, c.run)
}

// Hello is what the server said of itself when the connection was made.
func (c *Conn) Hello() *Hello {
	return &c.hello
}

// Call sends a request and returns the document of its reply, which is valid until the next call. The first Lead bytes
// of the request are overwritten. No reply may be outstanding.
func (c *Conn) Call(request []byte) ([]byte, error) {
	if c.start != c.end || !c.direct.usable() {
		if err := c.Send(request); err != nil {
			return nil, err
		}
		return c.Receive()
	}
	if err := c.prepare(request, 0); err != nil {
		return nil, err
	}
	c.readable()
	if err := c.direct.exchange(request); err != nil {
		return nil, err
	}
	return c.Receive()
}

// Send sends a request without waiting for its reply, which Receive returns. Replies come in the order of the requests.
func (c *Conn) Send(request []byte) error {
	return c.send(request, 0)
}

// Post sends a request that no reply comes to.
func (c *Conn) Post(request []byte) error {
	if err := c.send(request, flagMoreToCome); err != nil {
		return err
	}
	c.received = c.sent
	return nil
}

func (c *Conn) send(request []byte, flags uint32) error {
	if err := c.prepare(request, flags); err != nil {
		return err
	}
	return c.Write(request)
}

// prepare numbers a request and fills in its header.
func (c *Conn) prepare(request []byte, flags uint32) error {
	if len(request) > c.limit {
		return fmt.Errorf("%w: %d bytes, of %d", ErrTooLarge, len(request), c.limit)
	}
	c.sent++
	putHeader(request, c.sent, flags)
	return nil
}

// Receive waits for the reply to the oldest request that has none yet, and returns its document.
func (c *Conn) Receive() ([]byte, error) {
	message, err := c.Message(Lead + smallestBody)
	if err != nil {
		return nil, err
	}
	c.received++
	return body(message, c.received)
}

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
