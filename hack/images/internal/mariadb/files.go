package mariadb

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// plugins are those that a target may ask for, of the many that the packages hold.
var plugins = []string{"handlersocket.so", "ha_rocksdb.so"}

// share are the files and folders that a server needs to start and to make its system tables. Messages are in English.
var share = []string{
	"charsets", "english/errmsg.sys",
	"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql",
}

// Where the packages have them.
const (
	packagedBinary  = "usr/sbin/mariadbd"
	packagedPlugins = "usr/lib/mysql/plugin"
	packagedShare   = "usr/share/mysql"
)

// fill copies what is needed of the packages.
func (s Server) fill(ctx context.Context, store *debian.Store, suite string) error {
	if err := os.MkdirAll(s.Libraries, 0o755); err != nil {
		return fmt.Errorf("making the server's folder: %w", err)
	}
	wanted := map[string]string{packagedBinary: s.Binary}
	for _, name := range plugins {
		wanted[filepath.Join(packagedPlugins, name)] = filepath.Join(s.Plugins, name)
	}
	for _, name := range share {
		wanted[filepath.Join(packagedShare, name)] = filepath.Join(s.Share, name)
	}
	for _, source := range packages(suite) {
		unpacked, err := store.Unpack(ctx, source)
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
		return fmt.Errorf("no package of debian %s holds %s", suite, packaged)
	}
	return nil
}

// copyTree copies a file, or a folder and what is in it, and says whether it was there.
func copyTree(from, to string) (bool, error) {
	if _, err := os.Stat(from); err != nil {
		return false, nil //nolint:nilerr // Another package has it.
	}
	return true, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyFile(path, filepath.Join(to, below))
	})
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}

// newerFirst orders versions by their numbers.
func newerFirst(a, b string) int {
	left, right := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(left), len(right)) {
		one, _ := strconv.Atoi(left[i])
		other, _ := strconv.Atoi(right[i])
		if order := cmp.Compare(other, one); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(right), len(left))
}
