package dialer_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver/dialer"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It is on this machine.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// TestClosesWhatIsOpenToOneServer has connections to two servers, one of which is cut off.
func TestClosesWhatIsOpenToOneServer(t *testing.T) {
	t.Parallel()
	cut, other := listen(t).Addr().String(), listen(t).Addr().String()
	d := &dialer.Dialer{}
	dial := func(address string) net.Conn {
		connection, err := d.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
		return connection
	}
	first, second, kept, closed := dial(cut), dial(cut), dial(other), dial(cut)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.CloseTo(cut); got != 2 {
		t.Errorf("%d connections were closed, want the 2 that were open", got)
	}
	for _, connection := range []net.Conn{first, second} {
		if _, err := connection.Write([]byte{1}); !errors.Is(err, net.ErrClosed) {
			t.Errorf("writing to a server that is cut off: %v", err)
		}
	}
	if _, err := kept.Write([]byte{1}); err != nil {
		t.Errorf("writing to the other server: %v", err)
	}
	if got := d.CloseTo(cut); got != 0 {
		t.Errorf("%d connections were closed once more", got)
	}
	dial(cut) // It may come back.
}

func TestADialerThatRemembersNothing(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	connection, err := (*dialer.Dialer)(nil).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
}

// TestUntilUnreachable takes a server away, and asks for one that stays.
func TestUntilUnreachable(t *testing.T) {
	t.Parallel()
	stays, goes := listen(t), listen(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := dialer.UntilUnreachable(ctx, stays.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that stays: %v", err)
	}
	go func() {
		if one, err := goes.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, one)
		}
		_ = goes.Close()
	}()
	if err := dialer.UntilUnreachable(t.Context(), goes.Addr().String()); err != nil {
		t.Errorf("a server that goes: %v", err)
	}
}
