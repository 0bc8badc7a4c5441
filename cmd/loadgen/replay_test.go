package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestReplayByHandWritesTheResultInEveryForm(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	folder := filepath.Join(t.TempDir(), "results")
	command, stdout, stderr := program(t, "replay", "-f", "testdata/recording.jsonl", "--uri", server.URI(), "-o", folder)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"Step replay: 16 threads", "find orders", "count orders", "lag"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}
	for _, file := range []string{"report.txt", "report.json", "report.csv", "recording.txt"} {
		if content, err := os.ReadFile(filepath.Join(folder, file)); err != nil || len(content) == 0 {
			t.Errorf("%s holds %d bytes, %v", file, len(content), err)
		}
	}
	if want := "2 operations were to be sent\n1 left out: write"; !strings.Contains(stderr.String(), want) {
		t.Errorf("it said %q, want %q", stderr, want)
	}
}

func TestReplayRefusesWhatItCannotDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(file, []byte("{\"at\": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"a line that is wrong": {
			[]string{"-f", file, "--uri", mongotest.Shared(t, mongotest.Newest()).URI()}, "bad.jsonl: line 1:",
		},
		"no file":     {[]string{"-f", file + "x"}, "no such file"},
		"no speed":    {[]string{"-f", file, "--speed", "0"}, "--speed"},
		"no threads":  {[]string{"-f", file, "--threads", "0"}, "--threads"},
		"both speeds": {[]string{"-f", file, "--speed", "2", "--as-fast-as-possible"}, "as-fast-as-possible"},
		"shards": {
			[]string{"-f", "testdata/recording.jsonl", "--uri", "mongodb://127.0.0.1:1", "--uri", "mongodb://127.0.0.1:2"},
			"only run and verify take several",
		},
		"a wire version that is none": {[]string{"-f", "testdata/recording.jsonl", "--wire-version", "x"}, "wire-version"},
		"a password for others": {
			[]string{"-f", "testdata/recording.jsonl", "--uri", "mongodb://a:b@127.0.0.1"}, "password",
		},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := append([]string{"replay"}, tc.arguments...)
			if !strings.Contains(strings.Join(arguments, " "), "--uri") {
				arguments = append(arguments, "--uri", "mongodb://127.0.0.1:1")
			}
			command, _, stderr := program(t, arguments...)
			if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d, %s; want an error about %q", code, stderr, tc.want)
			}
		})
	}
}
