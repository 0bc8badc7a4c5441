package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSyncLatencyIsWrittenAsJSON(t *testing.T) {
	folder := t.TempDir()
	command := rootCommand()
	var out bytes.Buffer
	command.SetOut(&out)
	command.SetArgs([]string{"sync-latency", "--dir", folder, "--syncs", "100"})
	if err := command.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A file system in memory takes less than a microsecond, so that zeros are as good as any other times.
	got := map[string]int64{}
	err := json.Unmarshal(out.Bytes(), &got)
	p50, hasP50 := got["p50"]
	p99, hasP99 := got["p99"]
	if err != nil || len(got) != 2 || !hasP50 || !hasP99 || p50 < 0 || p99 < p50 {
		t.Errorf("got %q (%v), want p50 and p99, in their order", out.String(), err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("the folder still has %v (%v)", left, err)
	}
}

func TestSyncLatencyOfNoFolderIsAnError(t *testing.T) {
	command := rootCommand()
	var out bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&out)
	command.SetArgs([]string{"sync-latency", "--dir", filepath.Join(t.TempDir(), "missing")})
	err := command.ExecuteContext(t.Context())
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(out.String(), "p99") {
		t.Errorf("error %v, and it says %q", err, out.String())
	}
}
