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

// Servers is the folder of all fetched servers of a kind, such as mongod.
func (r Root) Servers(kind string) string { return filepath.Join(string(r), kind) }

// Server is the folder of one fetched server.
func (r Root) Server(kind, version string) string { return filepath.Join(r.Servers(kind), version) }

// Images is the folder of the image tarballs.
func (r Root) Images() string { return filepath.Join(string(r), "images") }

// Programs is the folder of the binaries that were built to go into images.
func (r Root) Programs() string { return filepath.Join(r.Images(), "bin") }

// Release is the folder of the files of an earlier release of ours, as Git has them.
func (r Root) Release(version string) string { return filepath.Join(string(r), "releases", version) }
