package mariadb

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// suites has the Debian release for each series of MariaDB. Which version of the series it holds is for Debian to say,
// and changes with its updates.
var suites = map[string]string{
	"10.11": "bookworm",
}

// Defaults are the series that tests and local clusters use.
func Defaults() []string { return []string{"10.11"} }

// suiteOf finds where a series, or one version of it, is to be had.
func suiteOf(version string) (string, error) {
	for series, suite := range suites {
		if matches(version, series) {
			return suite, nil
		}
	}
	known := slices.Sorted(maps.Keys(suites))
	return "", fmt.Errorf("mariadb %q is not known: choose %s, or one version of it", version, strings.Join(known, ", "))
}

// matches says whether a version is the wanted one, or one of the wanted series.
func matches(version, wanted string) bool {
	return version == wanted || strings.HasPrefix(version, wanted+".")
}

// packages are those that the server's files come from.
func packages(suite string) []debian.Package {
	return []debian.Package{
		{Name: "mariadb-server-core", Suite: suite},
		// Of this one HandlerSocket alone is taken.
		{Name: "mariadb-server", Suite: suite},
		{Name: "mariadb-plugin-rocksdb", Suite: suite},
	}
}

// providers names the package for each library that a machine may lack, of the suite that the server is from.
func providers(suite string) map[string]debian.Package {
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
		all[library] = debian.Package{Name: name, Suite: suite}
	}
	return all
}
