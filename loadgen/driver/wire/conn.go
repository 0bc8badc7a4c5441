package wire

import (
	"context"
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

// Dial connects to a server, and returns once it is ready for commands. Errors hold no password.
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
	if config.Login == nil {
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
