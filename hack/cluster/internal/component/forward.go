package component

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// Forward accepts connections on the inherited socket (descriptor 3) and joins each to the one address in its
// arguments, until it is ended.
func Forward(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("forward: only `cluster up` starts the forwarder")
	}
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return fmt.Errorf("taking over the listening socket: %w", err)
	}
	for {
		outer, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accepting: %w", err)
		}
		go join(ctx, outer, args[0])
	}
}

// join copies both ways until both sides have ended.
func join(ctx context.Context, outer net.Conn, address string) {
	defer func() { _ = outer.Close() }()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	inner, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "connecting to %s: %v\n", address, err)
		return
	}
	defer func() { _ = inner.Close() }()
	done := make(chan struct{})
	go func() {
		copyOneWay(inner, outer)
		close(done)
	}()
	copyOneWay(outer, inner)
	<-done
}

// copyOneWay passes the end of the stream on, too: a half-closed connection stays one.
func copyOneWay(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
