package server

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// MariaDB is MariaDB's server; its versions are series, or one version of a series.
var MariaDB = Kind{
	Name:     "mariadb",
	Defaults: []string{"10.11"},
	at: func(folder string) Server {
		server := Server{
			Folder:    folder,
			Binary:    filepath.Join(folder, "bin", "mariadbd"),
			Libraries: filepath.Join(folder, "lib"),
			Share:     filepath.Join(folder, "share"),
		}
		for _, name := range plugins {
			server.Plugins = append(server.Plugins, filepath.Join(folder, "plugin", name))
		}
		return server
	},
	ask:  []string{"--no-defaults", "--version"},
	says: regexp.MustCompile(`\bVer ([0-9]+\.[0-9]+\.[0-9]+)-MariaDB\b`),
	from: suiteOf,
}

// plugins are those that a target may ask for, of the many that the packages hold.
var plugins = []string{"handlersocket.so", "ha_rocksdb.so"}

// share are the files and folders that a server needs to start and to make its system tables. Messages are in English.
var share = []string{
	"charsets", "english/errmsg.sys",
	"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql",
}

// suite is a release of Debian. Which version of a series it holds is for Debian to say, and changes with its updates.
type suite string

// suites has the release for each series.
var suites = map[string]suite{"10.11": "bookworm"}

// suiteOf finds where a series, or one version of it, is to be had.
func suiteOf(version string) (source, error) {
	for series, found := range suites {
		if matches(version, series) {
			return found, nil
		}
	}
	known := slices.Sorted(maps.Keys(suites))
	return nil, fmt.Errorf("mariadb %q is not known: choose %s, or one version of it", version, strings.Join(known, ", "))
}

// providers are of the suite that the server is from.
func (s suite) providers() map[string]debian.Package {
	all := map[string]debian.Package{}
	for library, name := range map[string]string{
		"libpcre2-8.so.0":   "libpcre2-8-0",
		"libcrypt.so.1":     "libcrypt1",
		"liburing.so.2":     "liburing2",
		"libaio.so.1":       "libaio1",
		"libnuma.so.1":      "libnuma1",
		"libsystemd.so.0":   "libsystemd0",
		"libz.so.1":         "zlib1g",
		"libssl.so.3":       "libssl3",
		"libcrypto.so.3":    "libssl3",
		"libstdc++.so.6":    "libstdc++6",
		"libgcc_s.so.1":     "libgcc-s1",
		"libcap.so.2":       "libcap2",
		"libgcrypt.so.20":   "libgcrypt20",
		"libgpg-error.so.0": "libgpg-error0",
		"liblzma.so.5":      "liblzma5",
		"libzstd.so.1":      "libzstd1",
		"liblz4.so.1":       "liblz4-1",
		"libsnappy.so.1":    "libsnappy1v5",
		"libbz2.so.1.0":     "libbz2-1.0",
	} {
		all[library] = debian.Package{Name: name, Suite: string(s)}
	}
	return all
}

// fill copies what is needed of the packages. Of mariadb-server HandlerSocket alone is taken.
func (s suite) fill(ctx context.Context, fresh Server, store *debian.Store) error {
	wanted := map[string]string{"usr/sbin/mariadbd": fresh.Binary}
	for _, plugin := range fresh.Plugins {
		wanted[filepath.Join("usr/lib/mysql/plugin", filepath.Base(plugin))] = plugin
	}
	for _, name := range share {
		wanted[filepath.Join("usr/share/mysql", name)] = filepath.Join(fresh.Share, name)
	}
	for _, name := range []string{"mariadb-server-core", "mariadb-server", "mariadb-plugin-rocksdb"} {
		unpacked, err := store.Unpack(ctx, debian.Package{Name: name, Suite: string(s)})
		if err != nil {
			return err
		}
		for packaged, place := range wanted {
			found, err := copyTree(filepath.Join(unpacked, packaged), place)
			if err != nil {
				return fmt.Errorf("copying %s: %w", packaged, err)
			}
			if found {
				delete(wanted, packaged)
			}
		}
	}
	for packaged := range wanted {
		return fmt.Errorf("no package of debian %s holds %s", s, packaged)
	}
	return nil
}

// copyTree copies a file, or a folder and what is in it, and says whether it was there.
func copyTree(from, to string) (bool, error) {
	info, err := os.Stat(from)
	if err != nil {
		return false, nil //nolint:nilerr // Another package has it.
	}
	if info.IsDir() {
		return true, os.CopyFS(to, os.DirFS(from))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return true, err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return true, err
	}
	return true, os.WriteFile(to, content, info.Mode().Perm())
}
