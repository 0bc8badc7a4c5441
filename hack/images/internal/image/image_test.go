package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func sample(t *testing.T, content string) Image {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(source, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Image{
		Reference: "mongobench.local/sample:dev",
		Entries: []Entry{
			File("/usr/bin/program", source, 0o755),
			Folder("/tmp", 0o1777, 0),
			Folder("/data/db", 0o755, 999),
			Text("/etc/passwd", "root:x:0:0::/:\n"),
		},
		Config: v1.Config{User: "999:999", Cmd: []string{"program"}, Labels: map[string]string{"a": "1", "b": "2"}},
	}
}

func TestLayerHoldsFoldersBeforeTheirFilesWithFixedTimesAndOwners(t *testing.T) {
	entries, err := complete(sample(t, "abc").Entries)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := layer(entries)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := packed.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Name    string
		Mode    int64
		Owner   int
		Group   int
		Content string
	}
	var got []line
	for reader := tar.NewReader(stream); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(fixedTime) {
			t.Errorf("%s has time %v, want %v", header.Name, header.ModTime, fixedTime)
		}
		got = append(got, line{header.Name, header.Mode, header.Uid, header.Gid, string(content)})
	}
	want := []line{
		{"data/", 0o755, 0, 0, ""},
		{"data/db/", 0o755, 999, 999, ""},
		{"etc/", 0o755, 0, 0, ""},
		{"etc/passwd", 0o644, 0, 0, "root:x:0:0::/:\n"},
		{"tmp/", 0o1777, 0, 0, ""},
		{"usr/", 0o755, 0, 0, ""},
		{"usr/bin/", 0o755, 0, 0, ""},
		{"usr/bin/program", 0o755, 0, 0, "abc"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layer (-want +got):\n%s", diff)
	}
}

func TestCompleteRefusesEntriesThatCannotStandTogether(t *testing.T) {
	for name, tc := range map[string][]Entry{
		"a relative path":         {Text("etc/passwd", "")},
		"a path that climbs":      {Text("/etc/../passwd", "")},
		"the root itself":         {Folder("/", 0o755, 0)},
		"one path twice":          {Text("/a", "1"), Text("/a", "2")},
		"a file used as a folder": {Text("/a", ""), Text("/a/b", "")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := complete(tc); err == nil {
				t.Error("complete gave no error")
			}
		})
	}
}

func TestKeyChangesWithEveryInput(t *testing.T) {
	base := sample(t, "abc")
	for name, tc := range map[string]struct {
		change   func(*Image)
		wantSame bool
	}{
		"nothing":             {func(*Image) {}, true},
		"the order of files":  {func(i *Image) { i.Entries[0], i.Entries[3] = i.Entries[3], i.Entries[0] }, true},
		"the place of a copy": {func(i *Image) { i.Entries[0].source = sample(t, "abc").Entries[0].source }, true},
		"the reference":       {func(i *Image) { i.Reference += "x" }, false},
		"the user":            {func(i *Image) { i.Config.User = "0" }, false},
		"a mode":              {func(i *Image) { i.Entries[0].Mode = 0o700 }, false},
		"an owner":            {func(i *Image) { i.Entries[2].Owner = 0 }, false},
		"a path":              {func(i *Image) { i.Entries[1].Path = "/var" }, false},
		"a content":           {func(i *Image) { i.Entries[0].source = sample(t, "abd").Entries[0].source }, false},
		"a file less":         {func(i *Image) { i.Entries = i.Entries[:3] }, false},
		"folder to file":      {func(i *Image) { i.Entries[1].folder = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := base
			changed.Entries = append([]Entry(nil), base.Entries...)
			tc.change(&changed)
			if same := keyOfInputs(t, changed) == keyOfInputs(t, base); same != tc.wantSame {
				t.Errorf("key stays the same: %t, want %t", same, tc.wantSame)
			}
		})
	}
}

// keyOfInputs is what decides whether a tarball is written: the name, and the id of the image.
func keyOfInputs(t *testing.T, i Image) string {
	t.Helper()
	made, err := i.assemble(layer)
	if err != nil {
		t.Fatal(err)
	}
	id, err := made.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	return i.Reference + " " + id.String()
}

func TestTwoBuildsOfTheSameInputsAreTheSameToTheByte(t *testing.T) {
	var ids [2]string
	var contents [2][]byte
	for i := range ids {
		file := filepath.Join(t.TempDir(), "sample.tar")
		archive, err := sample(t, "abc").WriteArchive(file)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ids[i], contents[i] = archive.ID, content
	}
	if ids[0] != ids[1] {
		t.Errorf("ids differ: %s and %s", ids[0], ids[1])
	}
	if !bytes.Equal(contents[0], contents[1]) {
		t.Error("tarballs differ")
	}
}

func TestTarballIsWrittenOnlyWhenItsInputsChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "images", "sample.tar")
	steps := []struct {
		name          string
		before        func() error
		content       string
		wantUnchanged bool
	}{
		{"the first time", nil, "abc", false},
		{"again", nil, "abc", true},
		{"with another program", nil, "abd", false},
		{"after the tarball was cut", func() error { return os.Truncate(file, 700) }, "abd", false},
		{"after it was mended", nil, "abd", true},
	}
	for _, step := range steps {
		if step.before != nil {
			if err := step.before(); err != nil {
				t.Fatal(err)
			}
		}
		archive, err := sample(t, step.content).WriteArchive(file)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if archive.Unchanged != step.wantUnchanged {
			t.Errorf("%s: unchanged is %t, want %t", step.name, archive.Unchanged, step.wantUnchanged)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v (%v), want the tarball alone", left, err)
	}
}
