package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// firstBufferBytes is how large a read buffer is before a reply needs more: most replies come with one read, and a
// thousand connections take 16 MB.
const firstBufferBytes = 16 << 10

// Conn is a connection to one server. It serves one goroutine, but for Abort, BytesIn and BytesOut.
//
// After an error of Call, Send or Receive that is not ErrTooLarge nothing else may be done with it than Close.
type Conn struct {
	conn    net.Conn
	address string
	hello   Hello
	// limit is the largest message that the server takes.
	limit int

	// in[start:end] was read and is not looked at yet.
	in         []byte
	start, end int
	// sent is the number of the request that was sent last, received that of the last reply's. Between them are those
	// whose replies are still to come.
	sent, received uint32

	direct            direct
	bytesIn, bytesOut atomic.Int64
}

// Config says how a connection is made.
type Config struct {
	// TLS is nil for a connection without it. ServerName is filled in from the address where it is empty.
	TLS *tls.Config
	// Login is nil for a connection without authentication.
	Login *Login
	// Application is the name that the server's log and profiler have.
	Application string
	// Timeout bounds everything that Dial does. Zero is none.
	Timeout time.Duration
}

// Dial connects to a server, and returns once it is ready for commands. Errors hold no password.
func Dial(ctx context.Context, address string, config Config) (*Conn, error) {
	if config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, config.Timeout)
		defer cancel()
	}
	plain, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	c := &Conn{conn: plain, address: address, limit: defaultMaxMessageBytes}
	// What has no context is ended by a deadline that has passed.
	stop := context.AfterFunc(ctx, func() { _ = plain.SetDeadline(past) })
	err = c.open(ctx, address, config)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = plain.Close()
		if ctx.Err() != nil {
			err = errors.Join(err, context.Cause(ctx))
		}
		return nil, fmt.Errorf("opening a connection to %s: %w", address, err)
	}
	return c, nil
}

// past is a deadline that ends at once what waits.
var past = time.Unix(1, 0)

func (c *Conn) open(ctx context.Context, address string, config Config) error {
	if config.TLS != nil {
		if err := c.secure(ctx, address, config.TLS); err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
	} else if raw, ok := c.conn.(syscall.Conn); ok {
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

// secure wraps the connection in TLS.
func (c *Conn) secure(ctx context.Context, address string, config *tls.Config) error {
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		config = config.Clone()
		config.ServerName = host
	}
	secured := tls.Client(c.conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return err
	}
	c.conn = secured
	return nil
}

// Hello is what the server said of itself when the connection was made.
func (c *Conn) Hello() *Hello {
	return &c.hello
}

// Address is the one that the connection was made to.
func (c *Conn) Address() string {
	return c.address
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
	written, err := c.conn.Write(request)
	c.bytesOut.Add(int64(written))
	return err
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
	for c.end-c.start < headerBytes {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	length, err := messageLength(c.in[c.start:c.end], defaultMaxMessageBytes+headerBytes)
	if err != nil {
		return nil, err
	}
	if length > len(c.in)-c.start {
		c.grow(length)
	}
	for c.end-c.start < length {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	message := c.in[c.start : c.start+length]
	c.start += length
	c.received++
	return body(message, c.received)
}

// readable makes room for the next reply at the buffer's beginning, where nothing is left to look at.
func (c *Conn) readable() {
	if c.in == nil {
		c.in = make([]byte, firstBufferBytes)
	}
	if c.start == c.end {
		c.start, c.end = 0, 0
	}
}

// grow makes room for a message that begins at start.
func (c *Conn) grow(length int) {
	buffer := c.in
	if length > len(buffer) {
		buffer = make([]byte, max(length, 2*len(buffer)))
	}
	c.end = copy(buffer, c.in[c.start:c.end])
	c.in, c.start = buffer, 0
}

// fill reads once.
func (c *Conn) fill() error {
	c.readable()
	if c.end == len(c.in) {
		c.grow(headerBytes)
	}
	read, err := c.conn.Read(c.in[c.end:])
	c.end += read
	c.bytesIn.Add(int64(read))
	if read > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// Abort makes what waits on the connection, now and later, fail with os.ErrDeadlineExceeded. Any goroutine may call it.
func (c *Conn) Abort() {
	_ = c.conn.SetDeadline(past)
}

// Revive undoes an Abort that came while nothing waited.
func (c *Conn) Revive() {
	_ = c.conn.SetDeadline(time.Time{})
}

// BytesIn is how much was received, without what TLS adds. Any goroutine may call it.
func (c *Conn) BytesIn() int64 {
	return c.bytesIn.Load()
}

// BytesOut is how much was sent, without what TLS adds. Any goroutine may call it.
func (c *Conn) BytesOut() int64 {
	return c.bytesOut.Load()
}

// Close ends the connection.
func (c *Conn) Close() {
	_ = c.conn.Close()
}
