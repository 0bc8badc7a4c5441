package cache

import (
	"fmt"
	"os"
	"path/filepath"
)

// Root is the cache folder that all development tools of this repository share.
type Root string

// Locate gives the cache folder: $MONGOBENCH_CACHE, else .cache/mongobench in the home folder.
func Locate() (Root, error) {
	if folder := os.Getenv("MONGOBENCH_CACHE"); folder != "" {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return "", fmt.Errorf("locating the cache folder: %w", err)
		}
		return Root(absolute), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("locating the cache folder (set MONGOBENCH_CACHE to choose one): %w", err)
	}
	return Root(filepath.Join(home, ".cache", "mongobench")), nil
}

// Servers is the folder of all fetched servers.
func (r Root) Servers() string { return filepath.Join(string(r), "mongod") }

// Server is the folder of one fetched mongod: the binary "mongod" and the folder "lib".
func (r Root) Server(version string) string { return filepath.Join(r.Servers(), version) }

// MariaDBs is the folder of all fetched MariaDB servers.
func (r Root) MariaDBs() string { return filepath.Join(string(r), "mariadb") }

// MariaDB is the folder of one fetched MariaDB server: the binary "bin/mariadbd" and the folders "lib", "plugin" and
// "share".
func (r Root) MariaDB(version string) string { return filepath.Join(r.MariaDBs(), version) }

// Images is the folder of the image tarballs.
func (r Root) Images() string { return filepath.Join(string(r), "images") }

// Programs is the folder of the binaries that were built to go into images.
func (r Root) Programs() string { return filepath.Join(r.Images(), "bin") }
