package legacy

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
)

func TestAConnectionThatWasAbortedReadsNothing(t *testing.T) {
	ours, theirs := net.Pipe()
	defer func() { _ = ours.Close() }()
	go func() {
		// A server that takes what it is sent, and hangs up.
		_, _ = io.ReadFull(theirs, make([]byte, headerBytes))
		_ = theirs.Close()
	}()
	c := &conn{conn: ours, in: make([]byte, firstBufferBytes)}
	c.abort()
	if _, err := c.find("d", "c", newCommand()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of a deadline that has passed", err)
	}
}
