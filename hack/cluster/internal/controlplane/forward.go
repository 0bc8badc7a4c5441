package controlplane

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// Forward accepts connections on the inherited socket (descriptor 3) and joins each to the one address in its
// arguments, until it is ended.
func Forward(args []string) error {
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
		go join(outer, args[0])
	}
}

// join copies both ways until both sides have ended.
func join(outer net.Conn, address string) {
	defer outer.Close()
	inner, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		fmt.Fprintf(os.Stderr, "connecting to %s: %v\n", address, err)
		return
	}
	defer inner.Close()
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
