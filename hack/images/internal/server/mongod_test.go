package server

import (
	"archive/zip"
	"bytes"
	"regexp"
	"slices"
	"testing"
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
	for _, version := range Mongod.Defaults {
		if !slices.Contains(KnownMongods(), version) {
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
