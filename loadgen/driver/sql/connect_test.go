package sql_test

import (
	database "database/sql"
	"strings"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

// TestAServerThatRefusesIsQuoted: it is up, so the address and the network are not to blame.
func TestAServerThatRefusesIsQuoted(t *testing.T) {
	for name, tc := range map[string]struct {
		refuse func(t *testing.T, db *database.DB)
		want   string
	}{
		"too many connections": {occupy, "Too many connections"},
		"a host that is not allowed": {
			func(t *testing.T, db *database.DB) {
				t.Helper()
				must(t, db, "DELETE FROM mysql.global_priv WHERE Host <> 'localhost'")
				must(t, db, "FLUSH PRIVILEGES")
			},
			"is not allowed to connect",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := mariadbtest.Start(t, "--max-connections=10")
			tc.refuse(t, look(t, server, "refusing"))
			_, err := sql.Open(t.Context(), driver.Config{URIs: []string{server.URI()}, SelectionTimeout: time.Second})
			if err == nil || !strings.Contains(err.Error(), "the server at "+server.Address+" answered, and refused") ||
				!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), mariadbtest.Password) {
				t.Errorf("the error is %v, want %q in it, and no password", err, tc.want)
			}
		})
	}
}

// occupy takes all connections that a server has, until the test ends.
func occupy(t *testing.T, db *database.DB) {
	t.Helper()
	const most = 100
	for range most {
		connection, err := db.Conn(t.Context())
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = connection.Close() })
	}
	t.Fatalf("the server takes %d connections", most)
}
