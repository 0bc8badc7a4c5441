package bare

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	opMessage   = 2013
	headerBytes = 16
	// bodyAt is where the command of a message begins: after the header, the flags and the kind of the section.
	bodyAt = headerBytes + 4 + 1
	// replyBytes is room for every reply that is asked for here, so that one read gets it whole.
	replyBytes = 64 << 10
)

// Connection is one connection to a mongod, used by one goroutine at a time.
type Connection struct {
	socket net.Conn
	reply  []byte
}

// Dial connects to host:port.
func Dial(ctx context.Context, address string) (*Connection, error) {
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	return &Connection{socket: socket, reply: make([]byte, replyBytes)}, nil
}

// Close ends the connection.
func (c *Connection) Close() error {
	return c.socket.Close()
}

// Deadline is until when everything on the connection must have come; the zero time is for ever.
func (c *Connection) Deadline(at time.Time) error {
	return c.socket.SetDeadline(at)
}

// Exchange sends a message and returns the body of the reply, which is valid until the next call.
func (c *Connection) Exchange(message []byte) (bson.Raw, error) {
	if _, err := c.socket.Write(message); err != nil {
		return nil, fmt.Errorf("sending a message: %w", err)
	}
	got, err := c.socket.Read(c.reply)
	for err == nil && (got < headerBytes || got < int(binary.LittleEndian.Uint32(c.reply))) {
		var more int
		if got == len(c.reply) {
			c.reply = append(c.reply, make([]byte, len(c.reply))...)
		}
		more, err = c.socket.Read(c.reply[got:])
		got += more
	}
	if err != nil {
		return nil, fmt.Errorf("reading a reply: %w", err)
	}
	if code := binary.LittleEndian.Uint32(c.reply[12:]); code != opMessage || got <= bodyAt {
		return nil, fmt.Errorf("the reply has code %d and %d bytes", code, got)
	}
	return bson.Raw(c.reply[bodyAt:got]), nil
}

// Run sends a command and looks whether the server took it.
func (c *Connection) Run(command bson.D) (bson.Raw, error) {
	message, err := Message(command)
	if err != nil {
		return nil, err
	}
	reply, err := c.Exchange(message)
	if err != nil {
		return nil, err
	}
	return reply, Check(reply)
}

// Check returns the error that a reply says.
func Check(reply bson.Raw) error {
	if ok, _ := reply.Lookup("ok").AsInt64OK(); ok != 1 {
		return fmt.Errorf("the server refused: %s", reply)
	}
	if failures := reply.Lookup("writeErrors"); failures.Type != 0 {
		return fmt.Errorf("the server refused writes: %s", failures)
	}
	return nil
}

// Message makes the message of a command.
func Message(command bson.D) ([]byte, error) {
	body, err := bson.Marshal(command)
	if err != nil {
		return nil, fmt.Errorf("encoding a command: %w", err)
	}
	message := make([]byte, bodyAt, bodyAt+len(body))
	return finish(append(message, body...)), nil
}

// Sequence makes the message of a command whose documents, already encoded, follow it in a section of their own.
func Sequence(command bson.D, identifier string, documents []byte) ([]byte, error) {
	message, err := Message(command)
	if err != nil {
		return nil, err
	}
	message = append(message, 1)
	message = binary.LittleEndian.AppendUint32(message, uint32(4+len(identifier)+1+len(documents)))
	message = append(append(message, identifier...), 0)
	return finish(append(message, documents...)), nil
}

// finish fills in the header.
func finish(message []byte) []byte {
	binary.LittleEndian.PutUint32(message, uint32(len(message)))
	binary.LittleEndian.PutUint32(message[4:], 1)
	binary.LittleEndian.PutUint32(message[12:], opMessage)
	return message
}
