package dialer

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// reachTime is how long a server that can be reached may take to accept a connection.
	reachTime = time.Second
	// reachPause lies between two attempts.
	reachPause = 200 * time.Millisecond
)

// Dialer opens connections and knows which of them are open. Its zero value is ready, and nil is one that remembers
// none.
type Dialer struct {
	mutex sync.Mutex
	// open are the connections with the addresses that were asked for.
	open map[*remembered]string
}

// DialContext opens a connection.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil || d == nil {
		return connection, err
	}
	made := &remembered{Conn: connection, by: d}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.open == nil {
		d.open = map[*remembered]string{}
	}
	d.open[made] = address
	return made, nil
}

// CloseTo closes all connections to an address, host:port as it was asked for, and returns how many there were.
func (d *Dialer) CloseTo(address string) int {
	return d.closeWhere(func(its string) bool { return its == address })
}

// CloseAll closes all connections, and returns how many there were.
func (d *Dialer) CloseAll() int { return d.closeWhere(func(string) bool { return true }) }

func (d *Dialer) closeWhere(chosen func(address string) bool) int {
	d.mutex.Lock()
	var those []*remembered
	for connection, its := range d.open {
		if chosen(its) {
			those = append(those, connection)
		}
	}
	d.mutex.Unlock()
	for _, connection := range those {
		_ = connection.Close()
	}
	return len(those)
}

// remembered is an open connection.
type remembered struct {
	net.Conn
	by *Dialer
}

func (r *remembered) Close() error {
	r.by.mutex.Lock()
	delete(r.by.open, r)
	r.by.mutex.Unlock()
	return r.Conn.Close()
}

// UntilUnreachable tries to connect to an address again and again, and returns when that does not work any more. The
// error is that of a context that ends before.
func UntilUnreachable(ctx context.Context, address string) error {
	for {
		connection, err := (&net.Dialer{Timeout: reachTime}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = connection.Close()
		}
		// A name that is not resolved says nothing of the way to the server.
		unresolved := (*net.DNSError)(nil)
		if err != nil && ctx.Err() == nil && !errors.As(err, &unresolved) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(reachPause):
		}
	}
}
