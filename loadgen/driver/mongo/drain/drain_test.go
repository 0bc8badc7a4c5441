package drain

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// checkOut lets the driver check out a connection, and tells when it may be used.
func checkOut(p *Pool, server string, number int64) <-chan struct{} {
	held := make(chan struct{})
	go func() {
		p.Observe(&event.PoolEvent{Type: event.ConnectionCheckedOut, Address: server, ConnectionID: number})
		close(held)
	}()
	return held
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// newPool has two connections to one server, and one to another.
func newPool() *Pool {
	p := &Pool{}
	for _, which := range []connection{{"a", 1}, {"a", 2}, {"b", 1}} {
		p.Observe(&event.PoolEvent{Type: event.ConnectionReady, Address: which.server, ConnectionID: which.number})
	}
	return p
}

func TestQuestionsWaitUntilEachConnectionHasOne(t *testing.T) {
	for name, tc := range map[string]struct {
		everywhere bool
		// order in which connections are checked out.
		order []connection
		// ends is a connection that ends meanwhile.
		ends *connection
	}{
		"of the primary": {order: []connection{{"a", 2}, {"a", 1}}},
		"of all servers": {everywhere: true, order: []connection{{"a", 1}, {"b", 1}, {"a", 2}}},
		"of all servers, and of a new connection": {
			everywhere: true, order: []connection{{"b", 1}, {"b", 2}, {"a", 1}, {"a", 2}},
		},
		"of all servers but for one that ends": {
			everywhere: true, order: []connection{{"a", 1}, {"a", 2}}, ends: &connection{"b", 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool()
				p.gather(t.Context(), tc.everywhere)
				if tc.ends != nil {
					p.Observe(&event.PoolEvent{
						Type: event.ConnectionClosed, Address: tc.ends.server, ConnectionID: tc.ends.number,
					})
				}
				checkHeld(t, p, tc.order)
			})
		})
	}
}

// checkHeld checks connections out one after the other, the last of which is the one that all wait for.
func checkHeld(t *testing.T, p *Pool, order []connection) {
	t.Helper()
	held := make([]<-chan struct{}, 0, len(order))
	for _, which := range order {
		if slices.ContainsFunc(held, isClosed) {
			t.Error("a question was asked before each connection had one")
		}
		held = append(held, checkOut(p, which.server, which.number))
		synctest.Wait()
	}
	isHeld := func(c <-chan struct{}) bool { return !isClosed(c) }
	if slices.ContainsFunc(held, isHeld) {
		t.Error("a question is held back though each connection has one")
	}
}

func TestQuestionsAreGivenUpWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		ctx, cancel := context.WithCancel(t.Context())
		p.gather(ctx, true)
		held := checkOut(p, "a", 1)
		cancel()
		synctest.Wait()
		if !isClosed(held) {
			t.Error("a question is held back for ever")
		}
	})
}

func TestAConnectionThatEndedMattersIfItMayHaveHeldWrites(t *testing.T) {
	end := func(p *Pool) {
		p.Observe(&event.PoolEvent{Type: event.ConnectionClosed, Address: "a", ConnectionID: 1})
	}
	for name, tc := range map[string]struct {
		do   func(p *Pool)
		want error
	}{
		"before the first of them": {func(p *Pool) { end(p); p.Sends() }, nil},
		"after it":                 {func(p *Pool) { p.Sends(); end(p); p.Sends() }, wire.ErrBroken},
		"never opened":             {func(p *Pool) { p.Sends(); end(p); end(p) }, wire.ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool()
			tc.do(p)
			ended, some := p.begin()
			if err := p.brokenSince(ended); !some || !errors.Is(err, tc.want) {
				t.Errorf("writes: %t, error %v, want %v", some, err, tc.want)
			}
			if _, some := p.begin(); some {
				t.Error("there are still writes after a drain began")
			}
		})
	}
}
