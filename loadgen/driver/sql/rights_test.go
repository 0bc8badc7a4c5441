package sql_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

// TestAnObserverIsToldWhatItMaySee is the table of rights in docs/how-to/other-databases.md.
func TestAnObserverIsToldWhatItMaySee(t *testing.T) {
	folder := t.TempDir()
	server := mariadbtest.Start(t, "--secure-file-priv="+folder)
	// The server reads only what everybody may read.
	if err := os.WriteFile(filepath.Join(folder, observe.UsageFile), []byte("cpu.user 5000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	db := look(t, server, "observed")
	// Tests have a user that may do all but give a right away.
	must(t, db, "UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.access', 549755813887) WHERE User = 'load'")
	must(t, db, "FLUSH PRIVILEGES")
	db = look(t, server, "observed")
	smallSession(t, open(t, server.URI()), "observed", "")
	figures := []string{"operations.all", "cache.maximum", "size.documents", "size.indexes", "cpu.user"}
	for user, tc := range map[string]struct {
		right string
		want  []string
		index string
	}{
		"no_rights":  {"USAGE ON *.*", figures[:2], "secondary"},
		"reader":     {"SELECT ON observed.*", figures[:4], "secondary"},
		"statistics": {"SELECT ON mysql.innodb_index_stats", figures[:2], "code_1"},
		"filer":      {"FILE ON *.*", []string{figures[0], figures[1], figures[4]}, "secondary"},
	} {
		t.Run(user, func(t *testing.T) {
			must(t, db, "CREATE USER "+user+" IDENTIFIED BY 's3cret'")
			must(t, db, "GRANT "+tc.right+" TO "+user)
			target := openWith(t, driver.Config{URIs: []string{server.URI()}, ObserverCredentials: login(t, user, "s3cret")})
			described, err := target.Describe(t.Context())
			if err != nil || described.Durability != "Synced" {
				t.Errorf("durability %q, error %v", described.Durability, err)
			}
			observer := observed(t, target, 100*time.Millisecond)
			defer observer.Stop()
			// It is asked for together with the sizes.
			await(t, func() bool { return stood(observer, "cache.maximum") >= 0 })
			told := slices.DeleteFunc(slices.Clone(figures), func(figure string) bool { return stood(observer, figure) < 0 })
			if diff := cmp.Diff(tc.want, told); diff != "" {
				t.Errorf("told is (-want +got):\n%s", diff)
			}
			sizes, err := target.Sizes(t.Context(), "observed", smallUse("", "").Collections)
			if err != nil || len(sizes) != 1 || len(sizes[0].Indexes) != 1 || sizes[0].Indexes[0].Name != tc.index {
				t.Errorf("sizes %+v, error %v, want the size of an index %s", sizes, err, tc.index)
			}
		})
	}
}

// login is a folder with a name and a password.
func login(t *testing.T, username, password string) string {
	t.Helper()
	folder := t.TempDir()
	for file, content := range map[string]string{"username": username, "password": password} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
