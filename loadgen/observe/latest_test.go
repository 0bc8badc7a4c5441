package observe

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// counting is a server whose figures are those of the second that it is asked in; it is silent from the fifth on, until
// the eighth.
func counting() *scripted {
	began := time.Now()
	return &scripted{name: "a:1", role: RoleStandalone, answer: func(_ context.Context, command string) (bson.D, error) {
		second := int64(time.Since(began) / time.Second)
		if second >= 5 && second < 8 || command != "serverStatus" {
			return nil, errors.New("silent")
		}
		return append(status(),
			bson.E{Key: "extra_info", Value: bson.D{{Key: "user_time_us", Value: second * 2_500_000}}},
			bson.E{Key: "mem", Value: bson.D{{Key: "resident", Value: second}}},
		), nil
	}}
}

func TestLatestIsTheLastSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &Observer{
			Database: "db", Log: slog.New(slog.DiscardHandler),
			Servers: func(context.Context) ([]Server, error) { return []Server{counting()}, nil },
		}
		if got := observer.Latest(); len(got) != 0 {
			t.Errorf("before it began: %+v", got)
		}
		observer.Start(t.Context())
		time.Sleep(3500 * time.Millisecond) //nolint:forbidigo // The clock is synctest's.
		wantLatest(t, observer, 0, map[string]int64{"cpu.user": 7500, "memory.resident": 3 << 20})
		time.Sleep(3 * time.Second) //nolint:forbidigo // The clock is synctest's.
		wantLatest(t, observer, 2, map[string]int64{"cpu.user": unknown, "memory.resident": unknown})
		time.Sleep(3 * time.Second) //nolint:forbidigo // The clock is synctest's.
		wantLatest(t, observer, 3, map[string]int64{"cpu.user": 22_500, "memory.resident": 9 << 20, "disk.read": unknown})
		observer.Stop()
		wantLatest(t, observer, 3, map[string]int64{"memory.resident": 9 << 20, "no.such.figure": unknown})
	})
}

// wantLatest compares the figures of the only server.
func wantLatest(t *testing.T, observer *Observer, missed int64, want map[string]int64) {
	t.Helper()
	all := observer.Latest()
	if len(all) != 1 || all[0].Member != "a:1" || all[0].Missed != missed {
		t.Fatalf("latest is %+v, want that of a:1, with %d missed", all, missed)
	}
	for name, value := range want {
		got, known := all[0].Value(name)
		if known != (value != unknown) || known && got != value {
			t.Errorf("%s is %d (known: %t), want %d", name, got, known, value)
		}
	}
}
