package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// archive holds files of some modes.
func archive(t *testing.T, modes map[string]int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	writer := tar.NewWriter(zipped)
	for name, mode := range modes {
		if err := writer.WriteHeader(&tar.Header{Name: "./" + name, Mode: mode, Size: 1, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// release is the template, filled in as manifest.sh does, with archives that hold these files.
func release(t *testing.T, modes map[string]int64) fstest.MapFS {
	t.Helper()
	template, err := os.ReadFile("mongobench.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	content := archive(t, modes)
	digest := sha256.Sum256(content)
	folder := fstest.MapFS{}
	text := strings.NewReplacer("@VERSION@", "v0.1.0", "@URL@", "https://example.com/v0.1.0").Replace(string(template))
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		name := "kubectl-mongobench_v0.1.0_" + platform + ".tar.gz"
		text = strings.NewReplacer("@ARCHIVE_"+platform+"@", name, "@SHA256_"+platform+"@",
			hex.EncodeToString(digest[:])).Replace(text)
		folder[name] = &fstest.MapFile{Data: content}
	}
	folder[manifestFile] = &fstest.MapFile{Data: []byte(text)}
	return folder
}

func TestManifests(t *testing.T) {
	good := map[string]int64{"kubectl-mongobench": 0o755, "LICENSE": 0o644}
	replace := func(what, by string) func(fstest.MapFS) {
		return func(folder fstest.MapFS) {
			text := string(folder[manifestFile].Data)
			folder[manifestFile].Data = []byte(strings.Replace(text, what, by, 1))
		}
	}
	cases := map[string]struct {
		files  map[string]int64
		change func(fstest.MapFS)
		says   string
	}{
		"the template, filled in":     {good, func(fstest.MapFS) {}, ""},
		"another kind":                {good, replace("kind: Plugin", "kind: Plug"), `kind is "Plug"`},
		"another name":                {good, replace("name: mongobench", "name: kubectl-mongobench"), "metadata.name"},
		"a version without its v":     {good, replace(`version: "v0.1.0"`, "version: 0.1.0"), "spec.version"},
		"a field that is none":        {good, replace("homepage:", "home:"), "unknown field"},
		"a long description":          {good, replace("Run, follow", strings.Repeat("Run ", 13)), "spec.shortDescription"},
		"a platform twice":            {good, replace("arch: arm64", "arch: amd64"), "spec.platforms are for"},
		"a selector without arch":     {good, replace("{os: linux, arch: arm64}", "{os: linux}"), "has to be os and arch"},
		"a sum that is none":          {good, replace(`sha256: "`, `sha256: "x`), "sha256 is none"},
		"a place that is not filled":  {good, replace("https://example.com/v0.1.0/", "@URL@/"), "uri has to be"},
		"no program":                  {map[string]int64{"LICENSE": 0o644}, func(fstest.MapFS) {}, "holds no program"},
		"a program that does not run": {map[string]int64{"kubectl-mongobench": 0o644}, func(fstest.MapFS) {}, "no program"},
		"no licence": {
			map[string]int64{"kubectl-mongobench": 0o755}, func(fstest.MapFS) {}, "holds no LICENSE",
		},
		"an archive that is missing": {
			good, func(folder fstest.MapFS) { delete(folder, "kubectl-mongobench_v0.1.0_linux_arm64.tar.gz") },
			"platform linux/arm64",
		},
		"an archive that was changed": {
			good, func(folder fstest.MapFS) {
				folder["kubectl-mongobench_v0.1.0_linux_arm64.tar.gz"].Data = []byte("x")
			}, "and the manifest says",
		},
		"no manifest": {good, func(folder fstest.MapFS) { delete(folder, manifestFile) }, "reading the manifest"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := release(t, tc.files)
			tc.change(folder)
			err := check(folder)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
