package debian

import (
	"os"
	"path/filepath"
	"testing"
)

// replace puts programs of the test in the place of apt's and dpkg's: a package is a file that says which suite it is
// of, and unpacking adds it to a folder.
func replace(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for name, script := range map[string]string{
		"apt-get":  `case "$*" in *of-another*) echo another ;; *) echo own ;; esac > package.deb`,
		"dpkg-deb": `mkdir -p "$3" && cat "$2" >> "$3/suite"`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestAPackageOfTwoSuitesIsUnpackedApart(t *testing.T) {
	replace(t)
	folder := t.TempDir()
	store := NewStore(folder)
	for suite, name := range map[string]string{"": "of-own", "older": "of-another"} {
		store.archives[suite] = archive{folder: filepath.Join(folder, ".apt-"+name)}
	}
	for _, tc := range []struct{ suite, want string }{{"older", "another\n"}, {"", "own\n"}, {"older", "another\n"}} {
		unpacked, err := store.Unpack(t.Context(), Package{Name: "libx", Suite: tc.suite})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(unpacked, "suite")); err != nil || string(got) != tc.want {
			t.Errorf("suite %q: what is unpacked is %q (%v), want %q", tc.suite, got, err, tc.want)
		}
	}
}
