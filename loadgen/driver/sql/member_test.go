package sql_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

// observed is an observer of a server, which looks often, and at sizes as often as is said.
func observed(t *testing.T, target *sql.Target, slow time.Duration) *observe.Observer {
	t.Helper()
	observer := &observe.Observer{
		Database: "observed", Log: slog.New(slog.DiscardHandler),
		Interval: 100 * time.Millisecond, SlowInterval: slow,
		Servers: target.Servers,
	}
	observer.Start(t.Context())
	return observer
}

// stood is a figure as it stands; -1 when it is not known.
func stood(observer *observe.Observer, figure string) int64 {
	for _, latest := range observer.Latest() {
		if value, known := latest.Value(figure); known {
			return value
		}
	}
	return -1
}

// await wants something to become so.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not become so in time")
		}
		<-time.After(20 * time.Millisecond)
	}
}

// TestOperationsAreCountedWhereTheEngineIsAsked: each row that is written, changed or removed is one, and each search.
func TestOperationsAreCountedWhereTheEngineIsAsked(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		db := look(t, server, "observed")
		must(t, db, "CREATE TABLE observed.t (id INT PRIMARY KEY, v VARBINARY(2000) NOT NULL)")
		// The first question about a table, and each for sizes, makes the server search its own tables.
		must(t, db, "SELECT v FROM observed.t WHERE id = 0")
		observer := observed(t, open(t, server.URI()), time.Hour)
		defer observer.Stop()
		await(t, func() bool { return stood(observer, "operations.all") >= 0 })
		before := map[string]int64{}
		for figure := range map[string]int64{"query": 0, "insert": 0, "update": 0, "delete": 0} {
			before[figure] = stood(observer, "operations."+figure)
		}
		for id := range 40 {
			must(t, db, fmt.Sprintf("INSERT INTO observed.t VALUES (%d, 'a'), (%d, 'b')", 2*id, 2*id+1))
			must(t, db, fmt.Sprintf("UPDATE observed.t SET v = 'c' WHERE id = %d", id))
			must(t, db, fmt.Sprintf("SELECT v FROM observed.t WHERE id = %d", id))
		}
		for id := range 20 {
			must(t, db, fmt.Sprintf("DELETE FROM observed.t WHERE id = %d", id))
		}
		want := map[string]int64{"query": 40, "insert": 80, "update": 40, "delete": 20}
		grown := map[string]int64{}
		await(t, func() bool {
			for figure, was := range before {
				grown[figure] = stood(observer, "operations."+figure) - was
			}
			return grown["delete"] >= want["delete"]
		})
		if !cmp.Equal(grown, want) {
			t.Errorf("operations grew by %v, want %v", grown, want)
		}
	})
}

// TestAServerIsObservedInTheFiguresOfMongoDB: the CPU time comes from a file, of which the server knows the folder.
func TestAServerIsObservedInTheFiguresOfMongoDB(t *testing.T) {
	folder := t.TempDir()
	server := mariadbtest.Start(t, "--secure-file-priv="+folder)
	usage := filepath.Join(folder, observe.UsageFile)
	// The server reads only what everybody may read.
	if err := os.WriteFile(usage, []byte("cpu.user 5000\nmemory.resident 6\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	db := look(t, server, "observed")
	must(t, db, "CREATE TABLE observed.t (id INT AUTO_INCREMENT PRIMARY KEY, v VARBINARY(2000) NOT NULL)")
	observer := observed(t, open(t, server.URI()), 100*time.Millisecond)
	defer observer.Stop()
	figures := []string{
		"cpu.user", "memory.resident", "operations.all", "documents.scanned", "cache.used", "cache.dirty", "cache.maximum",
		"cache.requests", "disk.syncs", "journal.written", "checkpoint.age", "checkpoint.maximumAge", "activeClients.all",
		"connections.current", "connections.created", "network.in", "network.out", "network.requests", "size.documents",
		"size.storage",
	}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(figures), func(figure string) bool { return stood(observer, figure) > 0 })
	}
	for deadline := time.Now().Add(20 * time.Second); len(missing()) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%v are not told", missing())
		}
		must(t, db, "INSERT INTO observed.t (v) SELECT REPEAT('x', 1000) UNION ALL SELECT v FROM observed.t LIMIT 100")
	}
	if cpu, memory := stood(observer, "cpu.user"), stood(observer, "memory.resident"); cpu != 5 || memory != 6 {
		t.Errorf("CPU time %d ms, memory %d, want 5 and 6 as the file has them", cpu, memory)
	}
}

func TestAMemberTellsWhatIsRefusedFromWhatIsBroken(t *testing.T) {
	server := mariadbtest.Start(t)
	target := open(t, server.URI())
	member := sql.MemberOf(target)
	defer member.Close()
	if _, err := member.List(t.Context(), "SELECT 'a', nothing"); !errors.Is(err, observe.ErrRefused) {
		t.Errorf("error %v, want that the server refused", err)
	}
	rows, err := member.List(t.Context(), "SELECT 'a', 1 UNION ALL SELECT 'b', NULL")
	if err != nil || rows["a"] != "1" || len(rows) != 1 {
		t.Errorf("rows %v, error %v", rows, err)
	}
	server.Kill()
	if _, err := member.List(t.Context(), "SELECT 'a', 1"); err == nil || errors.Is(err, observe.ErrRefused) {
		t.Errorf("of a server that died the error is %v", err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool {
		rows, err := member.List(t.Context(), "SELECT 'a', 1")
		return err == nil && rows["a"] == "1"
	})
}
