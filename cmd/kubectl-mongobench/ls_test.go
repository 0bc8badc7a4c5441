package main

import (
	"strings"
	"testing"
)

func TestListing(t *testing.T) {
	here, there := namespace(t), namespace(t)
	end(t, createRun(t, here, "first"), "True", "Completed", 37400)
	createRun(t, there, "second")
	endSuite(t, createSuite(t, here, "first"), "AllSucceeded", [2]string{"False", "NoRegression"})
	cases := map[string]struct {
		arguments []string
		want      []string
		not       string
	}{
		"everything of a namespace": {
			[]string{"ls"},
			[]string{"RUN    TARGET  STAGE     OUTCOME    STEP   OPS/S      P99", "first  -", "not regressed"},
			"second",
		},
		"all namespaces": {[]string{"ls", "-A"}, []string{"NAMESPACE", here, there, "second"}, "nothing"},
		"one kind":       {[]string{"ls", "mbs"}, []string{"SUITE", "AllSucceeded"}, "OPS/S"},
		"names":          {[]string{"ls", "-o", "name"}, []string{"benchmarkrun.mongobench.dev/first\n"}, "RUN"},
		"YAML": {
			[]string{"ls", "runs", "-o", "yaml"}, []string{"kind: BenchmarkRun", "kind: List"}, "managedFields",
		},
		"JSON of several kinds": {[]string{"ls", "-o", "json"}, []string{`"kind": "BenchmarkSuite"`}, "managedFields"},
		"a path": {
			[]string{"ls", "runs", "-o", "jsonpath={.items[0].metadata.name}"}, []string{"first"}, "RUN",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, here, tc.arguments...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errOut)
			}
			wantIn(t, out, tc.want...)
			if strings.Contains(out, tc.not) {
				t.Errorf("there is %q in\n%s", tc.not, out)
			}
			if strings.Contains(out, "\x1b") {
				t.Errorf("there are colours in what is piped:\n%q", out)
			}
		})
	}
}

func TestListingNothingSaysSo(t *testing.T) {
	out, errOut, code := run(t, namespace(t), "ls")
	if out != "" || code != 0 || !strings.Contains(errOut, "nothing found in namespace") {
		t.Errorf("got %q, %q, exit code %d", out, errOut, code)
	}
}

func TestDescribing(t *testing.T) {
	here := namespace(t)
	end(t, createRun(t, here, "first"), "True", "Completed", 37400)
	createRun(t, here, "both")
	createSuite(t, here, "both")
	cases := map[string]struct {
		name string
		want string
		code int
	}{
		"a run by its name":                  {"first", "Outcome:  succeeded", 0},
		"a run as kubectl names it":          {"benchmarkrun.mongobench.dev/first", "Outcome:  succeeded", 0},
		"a suite that has the name of a run": {"suite/both", "Suite:     " + here + "/both", 0},
		"a name that two have":               {"both", "say which, as run/both", exitUsage},
		"an unknown name":                    {"third", `there is no run or suite "third" in namespace ` + here, exitFailed},
		"a kind that has no description":     {"target/first", "is no run or suite", exitUsage},
		"a kind that is none":                {"pod/first", "none of runs, suites and targets", exitUsage},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, here, "describe", tc.name)
			if code != tc.code {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, errOut)
			}
			wantIn(t, out+errOut, tc.want)
		})
	}
}

func TestNamesAreCompletedFromTheCluster(t *testing.T) {
	here := namespace(t)
	createRun(t, here, "first")
	createRun(t, here, "both")
	createSuite(t, here, "both")
	out, _, code := run(t, here, "__complete", "describe", "")
	if want := "first\nrun/both\nsuite/both\n:4\n"; out != want || code != 0 {
		t.Errorf("got %q, exit code %d, want %q", out, code, want)
	}
}

func TestACommandLineThatMakesNoSense(t *testing.T) {
	for name, arguments := range map[string][]string{
		"a command that is none": {"fly"},
		"a flag that is none":    {"ls", "--fly"},
		"a kind that is none":    {"ls", "pods"},
		"too few names":          {"describe"},
		"a format that is none":  {"ls", "-o", "fancy"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errOut, code := run(t, "default", arguments...)
			if code != exitUsage || !strings.HasPrefix(errOut, "error: ") {
				t.Errorf("exit code %d, want %d; it says %q", code, exitUsage, errOut)
			}
		})
	}
}
