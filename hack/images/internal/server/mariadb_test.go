package server

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionsOfAKnownSeriesHaveASuite(t *testing.T) {
	for version, want := range map[string]suite{
		"10.11": "bookworm", "10.11.4": "bookworm", "10.1": "", "10.110": "", "8.0": "", "": "",
	} {
		got, err := suiteOf(version)
		if found, _ := got.(suite); found != want || (err == nil) != (want != "") {
			t.Errorf("%q: suite %q (%v), want %q", version, got, err, want)
		}
	}
	for _, version := range MariaDB.Defaults {
		if _, err := suiteOf(version); err != nil {
			t.Error(err)
		}
	}
}

func TestVersionIsReadFromWhatTheServerSays(t *testing.T) {
	for said, want := range map[string]string{
		"/x/mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)": "10.11.6",
		"mysqld  Ver 8.0.36 for Linux on x86_64":                                                "",
	} {
		found := MariaDB.says.FindStringSubmatch(said)
		if got := append(found, "", "")[1]; got != want {
			t.Errorf("%s: version %q, want %q", said, got, want)
		}
	}
}

func TestNewestVersionComesFirst(t *testing.T) {
	versions := []string{"10.11.9", "10.6.30", "10.11.19", "11.4.1"}
	slices.SortFunc(versions, newerFirst)
	if diff := cmp.Diff([]string{"11.4.1", "10.11.19", "10.11.9", "10.6.30"}, versions); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestFoldersAreCopiedWithWhatIsInThem(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "deep", "copy")
	if err := os.MkdirAll(filepath.Join(from, "charsets"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "charsets", "Index.xml"), []byte("sets"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"charsets": true, "nothing": false} {
		if got, err := copyTree(filepath.Join(from, name), filepath.Join(to, name)); err != nil || got != want {
			t.Errorf("copying %s: %t (%v), want %t", name, got, err, want)
		}
	}
	if content, err := os.ReadFile(filepath.Join(to, "charsets", "Index.xml")); err != nil || string(content) != "sets" {
		t.Errorf("copied content is %q (%v)", content, err)
	}
}
