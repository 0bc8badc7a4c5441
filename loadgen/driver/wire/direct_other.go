//go:build !linux

package wire

import (
	"errors"
	"syscall"
)

// direct is of use only where a socket is read with system calls of our own.
type direct struct{}

func (d *direct) open(*Conn, syscall.Conn) {}

func (d *direct) usable() bool {
	return false
}

func (d *direct) exchange([]byte) error {
	return errors.ErrUnsupported
}
