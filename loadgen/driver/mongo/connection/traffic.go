package connection

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Traffic counts what goes over connections: all of them, the driver's own for watching the servers included. With TLS
// these are the encrypted bytes.
type Traffic struct {
	bytesIn, bytesOut                      atomic.Int64
	checkouts, checkoutNanos, longestNanos atomic.Int64
}

// Sum is what was counted so far.
func (t *Traffic) Sum() reportv1.Traffic {
	return reportv1.Traffic{
		BytesIn:           t.bytesIn.Load(),
		BytesOut:          t.bytesOut.Load(),
		Checkouts:         t.checkouts.Load(),
		CheckoutMicros:    t.checkoutNanos.Load() / int64(time.Microsecond),
		MaxCheckoutMicros: t.longestNanos.Load() / int64(time.Microsecond),
	}
}

// DialContext opens a connection that is counted, and otherwise the one that the driver would have opened.
func (t *Traffic) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &countedConnection{Conn: connection, traffic: t}, nil
}

// Monitor counts how long connections of the pool were waited for, and passes on all that happens to them.
func (t *Traffic) Monitor(observe func(*event.PoolEvent)) *event.PoolMonitor {
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) {
		observe(e)
		if e.Type != event.ConnectionCheckedOut && e.Type != event.ConnectionCheckOutFailed {
			return
		}
		t.checkouts.Add(1)
		t.checkoutNanos.Add(int64(e.Duration))
		for longest := t.longestNanos.Load(); int64(e.Duration) > longest; longest = t.longestNanos.Load() {
			if t.longestNanos.CompareAndSwap(longest, int64(e.Duration)) {
				return
			}
		}
	}}
}

// countedConnection counts its bytes.
type countedConnection struct {
	net.Conn
	traffic *Traffic
}

func (c *countedConnection) Read(into []byte) (int, error) {
	number, err := c.Conn.Read(into)
	c.traffic.bytesIn.Add(int64(number))
	return number, err
}

func (c *countedConnection) Write(from []byte) (int, error) {
	number, err := c.Conn.Write(from)
	c.traffic.bytesOut.Add(int64(number))
	return number, err
}
