package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// server answers as a mongod does, with figures that are easy to tell apart.
type server struct{}

func (server) Name() string { return "db.example:27017" }
func (server) Role() string { return observe.RoleStandalone }
func (server) Close()       {}

func (server) Ask(_ context.Context, _ string, command bson.Raw) (bson.Raw, error) {
	if elements, err := command.Elements(); err != nil || elements[0].Key() != "serverStatus" {
		return nil, errors.New("no such command")
	}
	document := func(pairs ...any) bson.D {
		made := bson.D{}
		for pair := range slices.Chunk(pairs, 2) {
			made = append(made, bson.E{Key: pair[0].(string), Value: pair[1]})
		}
		return made
	}
	return bson.Marshal(document(
		"uptimeMillis", int64(60_000), "localTime", bson.NewDateTimeFromTime(time.Now()),
		"extra_info", document("user_time_us", int64(2_500_000), "system_time_us", int64(1_000_000)),
		"mem", document("resident", int64(64)),
		"wiredTiger", document(
			"cache", document("bytes currently in the cache", int64(101), "tracked dirty bytes in the cache", int64(102),
				"maximum bytes configured", int64(103)),
			"block-manager", document("bytes read", int64(104), "bytes written", int64(105)),
			"log", document("log bytes written", int64(106), "log sync operations", int64(107)),
			"transaction", document("transaction checkpoints", int64(108)),
		),
		"network", document("bytesIn", int64(109), "bytesOut", int64(110)),
		"globalLock", document("currentQueue", document("readers", int64(111), "writers", int64(112))),
		"connections", document("current", int64(113)),
	))
}

// latest is what an observer tells of the server after its first sample.
func latest(t *testing.T) func() []observe.Latest {
	t.Helper()
	var seen []observe.Latest
	synctest.Test(t, func(t *testing.T) {
		observer := &observe.Observer{
			Database: "db", Log: slog.New(slog.DiscardHandler),
			Servers: func(context.Context) ([]observe.Server, error) { return []observe.Server{server{}}, nil },
		}
		observer.Start(t.Context())
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // The clock is synctest's.
		seen = observer.Latest()
		observer.Stop()
	})
	return func() []observe.Latest { return seen }
}

func TestServersAreShownAsTheObserverSeesThem(t *testing.T) {
	m := metrics.New()
	m.Observe(latest(t))
	got := scrape(t, m)
	for name, want := range map[string]float64{
		"missed_samples_total": 0, "cpu_seconds_total": 3.5, "memory_resident_bytes": 64 << 20, "cache_used_bytes": 101,
		"cache_dirty_bytes": 102, "cache_limit_bytes": 103, "disk_read_bytes_total": 104, "disk_written_bytes_total": 105,
		"journal_written_bytes_total": 106, "journal_flushes_total": 107, "checkpoints_total": 108,
		"network_received_bytes_total": 109, "network_sent_bytes_total": 110, "queued_readers": 111, "queued_writers": 112,
		"connections": 113,
	} {
		series := "server_" + name + `{member="db.example:27017"}`
		if value, there := got[series]; !there || value != want {
			t.Errorf("%s is %v (there: %t), want %v", series, value, there, want)
		}
	}
}

// TestWhatAServerDoesNotTellIsNotShown: a series that is 0 would say something else.
func TestWhatAServerDoesNotTellIsNotShown(t *testing.T) {
	m := metrics.New()
	m.Observe(func() []observe.Latest { return []observe.Latest{{Member: "old.example:27017", Missed: 3}} })
	got := scrape(t, m)
	if missed := got[`server_missed_samples_total{member="old.example:27017"}`]; missed != 3 {
		t.Errorf("%v samples are said to be missed, want 3", missed)
	}
	if _, there := got[`server_connections{member="old.example:27017"}`]; there {
		t.Error("a figure is shown that the server did not tell")
	}
}
