package main

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestAPresetRunsWithoutAFile(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	command, stdout, stderr := program(t, "run", "--preset", "YCSB-F", "--uri", server.URI(),
		"-p", "recordcount=500", "-p", "operationcount=200,threadcount=2", "--warmup-seconds", "1")
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"500 documents", "Step ycsb-f: 2 threads", "read-modify-write"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}
}

func TestAPresetThatMakesNoSenseIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"a preset that is not known":       {[]string{"--preset", "YCSB-Z"}, "YCSB-Z"},
		"a parameter that is not known":    {[]string{"--preset", "YCSB-A", "-p", "records=5"}, "records"},
		"a parameter with a wrong value":   {[]string{"--preset", "YCSB-A", "-p", "recordcount=many"}, "recordcount"},
		"a parameter beside a file":        {[]string{"-f", "testdata/run.yaml", "-p", "recordcount=5"}, "parameter"},
		"a preset and a file":              {[]string{"-f", "testdata/run.yaml", "--preset", "YCSB-A"}, "preset"},
		"neither a preset nor a file":      {nil, "preset"},
		"a warm-up that is less than none": {[]string{"--preset", "YCSB-A", "--warmup-seconds", "-1"}, "warmup"},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := append([]string{"run", "--uri", "mongodb://127.0.0.1:1"}, tc.arguments...)
			command, _, stderr := program(t, arguments...)
			if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d, said %q; want 1 and a word about %q", code, stderr, tc.want)
			}
		})
	}
}
