package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatLeadsNowhereIsFound has a site of two pages.
func TestWhatLeadsNowhereIsFound(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"index.html": `<link rel="stylesheet" href="https://example.com/a.css"><h1 id="top">a</h1>
			<a href="sub/b.html#there">b</a><a href="sub/b.html#gone">b</a>
			<a href="https://example.com">c</a><a href="#top">d</a>`,
		"sub/b.html": `<h2 id="there">b</h2><a href="../index.html">a</a><a href="missing.html">m</a><img src="../p.png">`,
	} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := readSite(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"index.html has browsers fetch https://example.com/a.css",
		"index.html: sub/b.html#gone has no such heading",
		"sub/b.html: ../p.png is not there",
		"sub/b.html: missing.html is not there",
	}
	if diff := cmp.Diff(want, read.problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := read.links(); got != 5 {
		t.Errorf("%d links, want 5", got)
	}
}
