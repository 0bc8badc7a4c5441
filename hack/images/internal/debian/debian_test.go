package debian

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLddKeepsFoundAndMissingLibrariesApart(t *testing.T) {
	output := "\tlinux-vdso.so.1 (0x00007f6d91d41000)\n" +
		"\tlibcurl.so.4 => /lib/x86_64-linux-gnu/libcurl.so.4 (0x00007f6d8df51000)\n" +
		"\tlibssl.so.1.1 => not found\n" +
		"\t/lib64/ld-linux-x86-64.so.2 (0x00007f6d91d43000)\n" +
		"\tlibssl.so.3 => /cache dir/lib/libssl.so.3 (0x00007f6d8db55000)\n"
	want := Linked{
		Found: []string{
			"/lib/x86_64-linux-gnu/libcurl.so.4", "/lib64/ld-linux-x86-64.so.2", "/cache dir/lib/libssl.so.3",
		},
		Missing: []string{"libssl.so.1.1"},
	}
	if diff := cmp.Diff(want, parseLdd(output)); diff != "" {
		t.Errorf("linked (-want +got):\n%s", diff)
	}
}

func TestLibraryIsPlacedFromAnUnpackedPackage(t *testing.T) {
	unpacked, folder := t.TempDir(), t.TempDir()
	deep := filepath.Join(unpacked, "usr", "lib")
	if err := os.MkdirAll(deep, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "libx.so.1.2"), []byte("code"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Packages hold the short name as a link.
	if err := os.Symlink("libx.so.1.2", filepath.Join(deep, "libx.so.1")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"libx.so.1": true, "liby.so.1": false} {
		if got, err := placeLibrary(name, unpacked, folder); err != nil || got != want {
			t.Errorf("placing %s: %t (%v), want %t", name, got, err, want)
		}
	}
	if content, err := os.ReadFile(filepath.Join(folder, "libx.so.1")); err != nil || string(content) != "code" {
		t.Errorf("placed content is %q (%v)", content, err)
	}
}

func TestMirrorIsTheFirstMainArchiveOfApt(t *testing.T) {
	for name, tc := range map[string]struct{ output, want string }{
		"security first": {
			"'http://one.example/debian-security/dists/s/InRelease' a 0\n'http://two.example/debian/dists/s/InRelease' b 0\n",
			"http://two.example/debian",
		},
		"another distribution": {"'http://one.example/ubuntu/dists/s/InRelease' a 0\n", ""},
		"nothing":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mirrorIn(tc.output); got != tc.want {
				t.Errorf("mirror is %q, want %q", got, tc.want)
			}
		})
	}
}
