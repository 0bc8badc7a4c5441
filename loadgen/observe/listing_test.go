package observe

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// lister is a MariaDB that answers with what its function tells at a time since its start.
type lister struct {
	started time.Time
	tell    func(seconds float64) map[string]string
	usage   string
	asked   map[string]int
	err     error
	// coarse says that its clock has whole seconds.
	coarse bool
}

func (l *lister) Name() string { return "db:3306" }
func (l *lister) Role() string { return RoleStandalone }
func (l *lister) Close()       {}

func (l *lister) List(_ context.Context, statement string) (map[string]string, error) {
	l.asked[strings.SplitN(statement, " ", 3)[1]]++
	up := time.Since(l.started)
	switch {
	case l.err != nil:
		return nil, l.err
	case strings.HasPrefix(statement, "SHOW GLOBAL STATUS"):
		rows := map[string]string{"Uptime": strconv.Itoa(int(up.Seconds()))}
		maps.Copy(rows, l.tell(up.Seconds()))
		return rows, nil
	case statement == clockStatement && l.coarse:
		return nil, ErrRefused
	case statement == usageStatement:
		return map[string]string{"usage": l.usage}, nil
	case statement == clockStatement:
		rows := map[string]string{"clock": strconv.FormatFloat(float64(time.Now().UnixMicro())/1e6, 'f', 6, 64)}
		if l.usage != "" {
			rows["usage"] = l.usage
		}
		return rows, nil
	case strings.Contains(statement, "innodb_buffer_pool_size"):
		return map[string]string{"cache_size": "1073741824"}, nil
	case strings.Contains(statement, "SUM(TABLE_ROWS)"):
		return map[string]string{"size_documents": "1000.0000"}, nil
	default:
		return nil, ErrRefused
	}
}

// listed is what an observer sees of a MariaDB in some time.
func listedFor(t *testing.T, duration time.Duration, server *lister) reportv1.Member {
	t.Helper()
	server.asked = map[string]int{}
	observer := &Observer{
		Database: "db", Log: slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil)),
		Servers: func(context.Context) ([]Server, error) { return []Server{server}, nil },
	}
	observer.Start(t.Context())
	time.Sleep(duration) //nolint:forbidigo // The clock is synctest's.
	members := observer.Stop()
	if len(members) != 1 {
		return reportv1.Member{}
	}
	return members[0]
}

func number(value float64) string { return strconv.Itoa(int(value)) }

func TestMariaDBIsObservedInTheSameFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &lister{
			started: time.Now().Add(-100500 * time.Millisecond), usage: "cpu.user 7000\nmemory.resident 42\nother 1\n",
		}
		server.tell = func(seconds float64) map[string]string {
			return map[string]string{
				"Handler_read_key": number(100 * seconds), "Handler_update": number(20 * seconds),
				"Handler_write": number(30 * seconds), "Innodb_row_lock_time": number(4 * seconds),
				"Innodb_os_log_written": number(1000 * seconds), "Rocksdb_wal_bytes": number(500 * seconds),
				"Innodb_buffer_pool_bytes_dirty": "77", "Threads_running": "3", "Innodb_data_read": "a lot",
			}
		}
		member := listedFor(t, 2500*time.Millisecond, server)
		for name, want := range map[string][]int64{
			"operations.all": {unknown, 130, 130}, "operations.query": {unknown, 80, 80},
			"operations.update": {unknown, 20, 20}, "locks.waitTime": {unknown, 4, 4},
			"journal.written": {unknown, 1500, 1500}, "cache.dirty": {77, 77, 77}, "activeClients.all": {3, 3, 3},
			"cache.maximum": {1 << 30, 1 << 30, 1 << 30}, "size.documents": {1000, 1000, 1000},
			"memory.resident": {42, 42, 42}, "cpu.user": {unknown, 0, 0}, "disk.read": nil, "operations.delete": nil,
		} {
			if got := valuesOf(member, name); !cmp.Equal(got, want) {
				t.Errorf("%s is %d, want %d", name, got, want)
			}
		}
	})
}

func TestAServerWithoutPartsOfASecondIsObservedByTheClockHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &lister{started: time.Now().Add(-100500 * time.Millisecond), usage: "cpu.user 7000\n", coarse: true}
		server.tell = func(seconds float64) map[string]string {
			return map[string]string{"Handler_write": number(30 * seconds)}
		}
		member := listedFor(t, 2500*time.Millisecond, server)
		for name, want := range map[string][]int64{
			"operations.insert": {unknown, 30, 30}, "cpu.user": {unknown, 0, 0},
		} {
			if got := valuesOf(member, name); !cmp.Equal(got, want) {
				t.Errorf("%s is %d, want %d", name, got, want)
			}
		}
	})
}

func TestAServerThatWasStartedAnewHasNoRateAcrossIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &lister{started: time.Now().Add(-time.Hour)}
		server.tell = func(seconds float64) map[string]string {
			if seconds > 3601 {
				// It was killed, and is up again at once.
				server.started = time.Now().Add(-100 * time.Millisecond)
				return map[string]string{"Uptime": "0", "Handler_write": "1"}
			}
			return map[string]string{"Handler_write": number(10 * seconds)}
		}
		member := listedFor(t, 3500*time.Millisecond, server)
		if got, want := valuesOf(member, "operations.insert"), []int64{unknown, 10, unknown, 10}; !cmp.Equal(got, want) {
			t.Errorf("inserts are %d, want %d", got, want)
		}
	})
}

func TestWhatWasRefusedIsNotAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &lister{started: time.Now(), tell: func(float64) map[string]string { return nil }}
		listedFor(t, 20500*time.Millisecond, server)
		// Two of the slow statements are answered, at 0, 10 and 20 s, and four are refused.
		want := map[string]int{
			"GLOBAL": 21, "'clock',": 21, "'cache_size',": 3 + 1, "'rocksdb_cache_used',": 1, "'size_documents',": 3,
			"'size_storage',": 1, "'size_indexes',": 1,
		}
		if !cmp.Equal(server.asked, want) {
			t.Errorf("asked %v, want %v", server.asked, want)
		}
	})
}

func TestAMariaDBThatMayNotBeAskedIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &lister{started: time.Now(), err: ErrNotAllowed}
		if member := listedFor(t, 5*time.Second, server); member.Name != "" || server.asked["GLOBAL"] != 1 {
			t.Errorf("observed %v, asked %v", member, server.asked)
		}
	})
}
