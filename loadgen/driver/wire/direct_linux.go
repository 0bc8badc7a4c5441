package wire

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// direct exchanges a request for its reply with two system calls.
//
// A net.Conn reads before it waits, since there may be something: after a request there never is, so that every reply
// costs a read in vain. Here the request is written by the function that is asked whether there is something to read.
// That is after the poller was told to take note of what arrives, so that no reply is missed; and as the function says
// that there was nothing, the goroutine waits at once.
type direct struct {
	conn *Conn
	raw  syscall.RawConn
	// step is the method of that name, bound once: binding it again would allocate.
	step func(uintptr) bool

	request []byte
	written int
	began   bool
	err     error
}

func (d *direct) open(c *Conn, conn syscall.Conn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	d.conn, d.raw = c, raw
	d.step = d.advance
}

func (d *direct) usable() bool {
	return d.raw != nil
}

// exchange sends a request and reads once what comes back. The read buffer is empty before.
func (d *direct) exchange(request []byte) error {
	d.request, d.written, d.began, d.err = request, 0, false, nil
	err := d.raw.Read(d.step)
	d.request = nil
	d.conn.bytesOut.Add(int64(d.written))
	if d.err != nil {
		return d.err
	}
	if err != nil {
		return err
	}
	if d.written < len(request) {
		// The socket's buffer was full. The rest may wait for room, and the reply is read as always.
		return d.conn.Write(request[d.written:])
	}
	d.conn.bytesIn.Add(int64(d.conn.end))
	return nil
}

// advance writes at the first call, and reads at those after it. It returns true when there is no more to wait for.
func (d *direct) advance(fd uintptr) bool {
	if !d.began {
		d.began = true
		d.written, d.err = uninterrupted(syscall.SYS_WRITE, fd, d.request)
		d.written = max(0, d.written)
		return d.err != nil || d.written < len(d.request)
	}
	read, err := uninterrupted(syscall.SYS_READ, fd, d.conn.in)
	switch {
	case err != nil:
		d.err = err
	case read > 0:
		d.conn.end = read
	case read == 0:
		d.err = io.EOF
	default:
		return false
	}
	return true
}

// uninterrupted calls again what a signal interrupted. It returns -1 where the call would have to wait.
//
// The socket never blocks, so the scheduler need not be told of these system calls. Telling it is not free, and one
// that takes more than some microseconds, as sending over the loopback interface does, would have its processor taken
// away by another thread, which has to be woken up for that.
func uninterrupted(call, fd uintptr, bytes []byte) (int, error) {
	if len(bytes) == 0 {
		return 0, nil
	}
	for {
		//nolint:gosec // The kernel gets a slice's own bytes and their number.
		n, _, failure := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(bytes)))
		switch failure {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return -1, nil
		default:
			return 0, os.NewSyscallError("socket", failure)
		}
	}
}
