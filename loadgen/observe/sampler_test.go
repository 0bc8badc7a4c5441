package observe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// checkpointing is a server that writes a checkpoint from the third second on, and has used half a processor.
func checkpointing(name string) *scripted {
	began := time.Now()
	return &scripted{name: name, role: RoleStandalone, answer: func(_ context.Context, command string) (bson.D, error) {
		if command != "serverStatus" {
			return nil, errors.New("no such command")
		}
		second := int64(time.Since(began) / time.Second)
		running := int64(0)
		if second >= 3 {
			running = 1
		}
		return append(status(),
			bson.E{Key: "extra_info", Value: bson.D{
				{Key: "user_time_us", Value: second * 400_000}, {Key: "system_time_us", Value: second * 100_000},
			}},
			bson.E{Key: "wiredTiger", Value: bson.D{
				{Key: "checkpoint", Value: bson.D{{Key: "currently running", Value: running}}},
				{Key: "transaction", Value: bson.D{{Key: "transaction checkpoint currently running", Value: running}}},
			}},
		), nil
	}}
}

func TestASamplerLooksWhenItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dumb := &scripted{name: "b:1", role: RoleStandalone, answer: func(context.Context, string) (bson.D, error) {
			return nil, errors.New("silent")
		}}
		server := checkpointing("a:1")
		sampler := NewSampler([]Server{server, dumb})
		if server.asked["admin.serverStatus"] != 0 {
			t.Error("it looks before it is asked to")
		}
		for _, want := range []struct {
			busy string
			cpu  int64
		}{{"", 0}, {"writes a checkpoint", 2000}} {
			checkLook(t, sampler.Look(t.Context()), want.busy, want.cpu)
			time.Sleep(4 * time.Second) //nolint:forbidigo // The clock is synctest's.
		}
		if asked := server.asked["admin.serverStatus"]; asked != 2 {
			t.Errorf("it was asked %d times, want 2", asked)
		}
		sampler.Close()
		if !server.closed || !dumb.closed {
			t.Error("a connection was not given back")
		}
	})
}

// checkLook wants only the server that answers to be found, at what it says.
func checkLook(t *testing.T, found []Latest, wantBusy string, wantCPU int64) {
	t.Helper()
	if len(found) != 1 || found[0].Member != "a:1" {
		t.Fatalf("got %+v, want the server that answers", found)
	}
	if busy := found[0].Busy(); busy != wantBusy {
		t.Errorf("the server is at %q, want %q", busy, wantBusy)
	}
	if cpu, known := found[0].CPUMillis(); !known || cpu != wantCPU {
		t.Errorf("it has used %d ms (known: %t), want %d", cpu, known, wantCPU)
	}
}

func TestServersAreAskedAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// slow are servers that take their time, and how long it takes to look at them.
		slow := func(names ...string) ([]Latest, time.Duration) {
			servers := make([]Server, 0, len(names))
			for _, name := range names {
				servers = append(servers, &scripted{
					name: name, role: RoleSecondary,
					answer: func(context.Context, string) (bson.D, error) {
						time.Sleep(200 * time.Millisecond) //nolint:forbidigo // The clock is synctest's.
						return status(), nil
					},
				})
			}
			began := time.Now()
			return NewSampler(servers).Look(t.Context()), time.Since(began)
		}
		_, one := slow("a:1")
		found, three := slow("a:1", "b:1", "c:1")
		if three != one || one == 0 {
			t.Errorf("three servers took %s, and one of them %s", three, one)
		}
		if len(found) != 3 || found[0].Member != "a:1" || found[2].Member != "c:1" {
			t.Errorf("got %+v, want the servers in their order", found)
		}
		if _, known := found[0].CPUMillis(); known {
			t.Error("the CPU time is known of servers that do not tell it")
		}
	})
}
