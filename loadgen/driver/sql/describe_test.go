package sql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestAServerIsDescribedByWhatItSaysOfItself(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		described, err := open(t, server.URI()).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		engine, cache, logged := "InnoDB", int64(64), "innodb_flush_log_at_trx_commit 1, no binary log, innodb_doublewrite ON"
		if strings.HasSuffix(t.Name(), myRocks) {
			engine, cache, logged = myRocks, 32, "rocksdb_flush_log_at_trx_commit 1, no binary log"
		}
		if described.Product != "MariaDB" || !strings.Contains(described.Version, "MariaDB") ||
			described.StorageEngine != engine || described.CacheMebibytes != cache || described.TLS != "Disabled" ||
			described.Durability != "Synced" || !strings.HasPrefix(described.DefaultWriteConcern, logged) {
			t.Errorf("it is described as %+v", described)
		}
	})
}

func TestDurabilityIsReadBackFromTheServer(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"flushed each second":   {[]string{"--innodb-flush-log-at-trx-commit=0"}, "Memory"},
		"written each time":     {[]string{"--innodb-flush-log-at-trx-commit=2"}, "OSCache"},
		"synced in three steps": {[]string{"--innodb-flush-log-at-trx-commit=3"}, "Synced"},
		"a binary log that is not synced": {
			[]string{"--log-bin=binlog", "--server-id=1", "--sync-binlog=0"}, "OSCache",
		},
		"a binary log that is synced": {[]string{"--log-bin=binlog", "--server-id=1", "--sync-binlog=1"}, "Synced"},
		"MyRocks, written each time": {
			append(mariadbtest.MyRocks(), "--rocksdb-flush-log-at-trx-commit=2"), "OSCache",
		},
		"MyRocks, flushed each second": {
			append(mariadbtest.MyRocks(), "--rocksdb-flush-log-at-trx-commit=0"), "Memory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := open(t, mariadbtest.Start(t, tc.arguments...).URI())
			described, err := target.Describe(t.Context())
			if err != nil || described.Durability != tc.want {
				t.Errorf("the durability is %q (%s), error %v; want %s", described.Durability, described.DefaultWriteConcern,
					err, tc.want)
			}
		})
	}
}

// TestNothingIsClaimedOfAnEngineThatIsNotKnown: InnoDB is there all the same, and its settings are not the other's.
func TestNothingIsClaimedOfAnEngineThatIsNotKnown(t *testing.T) {
	described, err := open(t, mariadbtest.Start(t, "--default-storage-engine=Aria").URI()).Describe(t.Context())
	if err != nil || described.StorageEngine != "Aria" || described.Durability != "" ||
		described.DefaultWriteConcern != "" || described.CacheMebibytes != 0 {
		t.Errorf("it is described as %+v, error %v", described, err)
	}
}

func TestConnectionsTakeEveryWayIn(t *testing.T) {
	server := mariadbtest.Shared(t)
	folder := login(t, mariadbtest.User, mariadbtest.Password)
	for name, config := range map[string]driver.Config{
		"a socket":              {URIs: []string{server.SocketURI()}},
		"a folder with a login": {URIs: []string{"mysql://" + server.Address}, Credentials: folder},
		"an observer":           {URIs: []string{server.URI()}, ObserverCredentials: folder},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := openWith(t, config).Describe(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestALoginThatIsRefusedIsSaidAtOnceAndWithoutItsPassword(t *testing.T) {
	server := mariadbtest.Shared(t)
	_, err := sql.Open(t.Context(), driver.Config{URIs: []string{"mysql://load:wr0ng@" + server.Address}})
	if err == nil || !strings.Contains(err.Error(), `as user "load" failed`) || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("the error is %v", err)
	}
}

func TestTLSIsVerifiedByTheAuthorityThatIsGiven(t *testing.T) {
	both := filepath.Join(t.TempDir(), "both.pem")
	if err := os.WriteFile(both, mongotest.Certificate(t), 0o600); err != nil {
		t.Fatal(err)
	}
	server := mariadbtest.Start(t, "--ssl-cert="+both, "--ssl-key="+both)
	for name, tc := range map[string]struct {
		options string
		config  driver.Config
		wantErr string
	}{
		"an option of the connection string": {options: "?tls=true&tlsCA=" + both},
		"a file beside it":                   {config: driver.Config{CAFile: both}},
		"not verified":                       {options: "?tls=skip-verify"},
		"an unknown authority":               {options: "?tls=true", wantErr: "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.config.URIs, tc.config.SelectionTimeout = []string{server.URI() + tc.options}, 2*time.Second
			target, err := sql.Open(t.Context(), tc.config)
			switch {
			case tc.wantErr == "" && err == nil:
				checkSecured(t, target)
			case tc.wantErr == "":
				t.Error(err)
			case err == nil || !strings.Contains(err.Error(), tc.wantErr):
				t.Errorf("the error is %v, want %q in it", err, tc.wantErr)
			}
		})
	}
}

// checkSecured writes a row over TLS.
func checkSecured(t *testing.T, target *sql.Target) {
	t.Helper()
	defer func() { _ = target.Close(t.Context()) }()
	described, err := target.Describe(t.Context())
	if err != nil || described.TLS != "Enabled" {
		t.Errorf("TLS is %q, error %v", described.TLS, err)
	}
	session := smallSession(t, target, "secured", "")
	if _, err := do(t, session, request(t, insertOne, "1")); err != nil {
		t.Error(err)
	}
}
