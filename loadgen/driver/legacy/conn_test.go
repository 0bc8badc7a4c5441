package legacy

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

func TestAConnectionThatWasAbortedReadsNothing(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		// A server that takes what it is sent, and hangs up.
		if theirs, err := listener.Accept(); err == nil {
			_, _ = io.ReadFull(theirs, make([]byte, headerBytes))
			_ = theirs.Close()
		}
	}()
	c := &conn{}
	err = c.Dial(t.Context(), listener.Addr().String(), wire.Config{}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Abort()
	if _, err := c.find("d", "c", newCommand()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of a deadline that has passed", err)
	}
}
