package wire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver/dialer"
)

// firstBufferBytes is how large a read buffer is before a reply needs more: most replies come with one read, and a
// thousand connections take 16 MB.
const firstBufferBytes = 16 << 10

// largestMessage is more than any server sends: 48 MB of documents, and what is in front of them.
const largestMessage = defaultMaxMessageBytes + 1024

// Link is a connection to one server over which whole messages go, of whatever form. It serves one goroutine, but for
// Abort, BytesIn and BytesOut.
type Link struct {
	conn    net.Conn
	address string
	// in[start:end] was read and is not looked at yet.
	in                []byte
	start, end        int
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
	// Dialer opens the connection; nil is one that remembers none.
	Dialer *dialer.Dialer
	// Until is how far Dial goes.
	Until Stage
}

// Stage is how far a connection has come.
type Stage int

// The stages of a connection, the last of which, ready for commands, is that of a Config that says nothing.
const (
	Ready Stage = iota
	// Reached by TCP, Secured by TLS where there is any, and Greeted by the server.
	Reached
	Secured
	Greeted
)

// connectPause lies between two attempts to reach a server.
const connectPause = 50 * time.Millisecond

// UntilReached tries to connect until it works, a login fails, or the time is up. The error is that of the last
// attempt.
func UntilReached[C any](
	ctx context.Context, limit time.Duration, try func(ctx context.Context) (C, error),
) (C, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn, err := try(ctx)
		if _, refused := errors.AsType[*LoginError](err); refused || err == nil {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return conn, err
		case <-time.After(connectPause):
		}
	}
}

// Dial connects to a server, and returns once open, which shakes hands with it, is done.
func (l *Link) Dial(ctx context.Context, address string, config Config, open func() error) error {
	if config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, config.Timeout)
		defer cancel()
	}
	plain, err := config.Dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", address, err)
	}
	l.conn, l.address = plain, address
	// What has no context is ended by a deadline that has passed.
	stop := context.AfterFunc(ctx, func() { _ = plain.SetDeadline(past) })
	if config.TLS != nil && config.Until != Reached {
		err = l.secure(ctx, config.TLS)
	}
	if err == nil && config.Until != Reached && config.Until != Secured {
		err = open()
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = plain.Close()
		if ctx.Err() != nil {
			err = errors.Join(err, context.Cause(ctx))
		}
		return fmt.Errorf("opening a connection to %s: %w", address, err)
	}
	return nil
}

// secure wraps the connection in TLS.
func (l *Link) secure(ctx context.Context, config *tls.Config) error {
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(l.address)
		if err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		config = config.Clone()
		config.ServerName = host
	}
	secured := tls.Client(l.conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("TLS: %w", err)
	}
	l.conn = secured
	return nil
}

// past is a deadline that ends at once what waits.
var past = time.Unix(1, 0)

// Address is the one that the connection was made to.
func (l *Link) Address() string {
	return l.address
}

// Write sends bytes.
func (l *Link) Write(bytes []byte) error {
	written, err := l.conn.Write(bytes)
	l.bytesOut.Add(int64(written))
	return err
}

// Message waits for the next message, which has at least that many bytes, and is valid until the next call.
func (l *Link) Message(least int) ([]byte, error) {
	for l.end-l.start < headerBytes {
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
	length := int(binary.LittleEndian.Uint32(l.in[l.start:]))
	if length < least || length > largestMessage {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrProtocol, length)
	}
	if length > len(l.in)-l.start {
		l.grow(length)
	}
	for l.end-l.start < length {
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
	message := l.in[l.start : l.start+length]
	l.start += length
	return message, nil
}

// readable makes room for the next reply at the buffer's beginning, where nothing is left to look at.
func (l *Link) readable() {
	if l.in == nil {
		l.in = make([]byte, firstBufferBytes)
	}
	if l.start == l.end {
		l.start, l.end = 0, 0
	}
}

// grow makes room for a message that begins at start.
func (l *Link) grow(length int) {
	buffer := l.in
	if length > len(buffer) {
		buffer = make([]byte, max(length, 2*len(buffer)))
	}
	l.end = copy(buffer, l.in[l.start:l.end])
	l.in, l.start = buffer, 0
}

// fill reads once.
func (l *Link) fill() error {
	l.readable()
	if l.end == len(l.in) {
		l.grow(headerBytes)
	}
	read, err := l.conn.Read(l.in[l.end:])
	l.end += read
	l.bytesIn.Add(int64(read))
	if read > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// Abort makes what waits on the connection, now and later, fail with os.ErrDeadlineExceeded. Any goroutine may call it.
func (l *Link) Abort() {
	_ = l.conn.SetDeadline(past)
}

// Revive undoes an Abort that came while nothing waited.
func (l *Link) Revive() {
	_ = l.conn.SetDeadline(time.Time{})
}

// BytesIn is how much was received, without what TLS adds. Any goroutine may call it.
func (l *Link) BytesIn() int64 {
	return l.bytesIn.Load()
}

// BytesOut is how much was sent, without what TLS adds. Any goroutine may call it.
func (l *Link) BytesOut() int64 {
	return l.bytesOut.Load()
}

// Close ends the connection.
func (l *Link) Close() {
	_ = l.conn.Close()
}
