package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

// mongodOnPath puts one of the servers for tests on the PATH of this test, with a folder for temporary files that is
// empty.
func mongodOnPath(t *testing.T) (temporary string) {
	t.Helper()
	home := filepath.Join(process.Cache(t), "mongod", mongotest.Newest())
	if _, err := os.Stat(filepath.Join(home, "mongod")); err != nil {
		t.Skipf("needs mongod: %v; make mongod fetches it", err)
	}
	folder, temporary := t.TempDir(), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nLD_LIBRARY_PATH=%s/lib exec %[1]s/mongod \"$@\"\n", home)
	if err := os.WriteFile(filepath.Join(folder, "mongod"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temporary)
	return temporary
}

// wantEmpty says that nothing is left in a folder.
func wantEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left in %s, %v", left, folder, err)
	}
}

func TestStressStartsAServerOfItsOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		flags    []string
		topology string
	}{
		"a standalone":         {nil, "Standalone"},
		"a replica set of one": {[]string{"--replica-set"}, "ReplicaSet"},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := mongodOnPath(t)
			table, _ := stressed(t, 0, slices.Concat([]string{"--local"}, tc.flags, short)...)
			wantAll(t, table, "MongoDB "+mongotest.Newest()+", "+tc.topology)
			wantEmpty(t, temporary)
		})
	}
}

func TestALocalServerEndsWithASignal(t *testing.T) {
	temporary := mongodOnPath(t)
	command, _, _ := program(t, "local")
	command.Stdout = nil
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	uri, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	stressed(t, 0, slices.Concat([]string{strings.TrimSpace(uri)}, short)...)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, command.Wait()); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	wantEmpty(t, temporary)
	stressed(t, 1, strings.TrimSpace(uri), "--selection-timeout", "300ms")
}

func TestALocalServerThatCannotStartSaysWhy(t *testing.T) {
	t.Run("no program", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, said := stressed(t, 1, "--local")
		wantAll(t, said, "there is no mongod on PATH", "--mongod")
	})
	t.Run("a program that ends", func(t *testing.T) {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		program := filepath.Join(t.TempDir(), "mongod")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho no data today\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, said := stressed(t, 1, "--local", "--mongod", program)
		wantAll(t, said, "it ended at once", "no data today")
		wantEmpty(t, temporary)
	})
}
