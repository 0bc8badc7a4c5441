package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// tests are what became of those of a document, by class and name: passed, failure, error or skipped.
func tests(t *testing.T, document string) map[string]string {
	t.Helper()
	var read struct {
		Cases []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(document), &read); err != nil {
		t.Fatalf("%v:\n%s", err, document)
	}
	found := map[string]string{}
	for _, one := range read.Cases {
		became := "passed"
		switch {
		case one.Failure != nil:
			became = "failure"
		case one.Error != nil:
			became = "error"
		case one.Skipped != nil:
			became = "skipped"
		}
		found[one.Class+" "+one.Name] = became
	}
	return found
}

func wantTests(t *testing.T, document string, want map[string]string) {
	t.Helper()
	found := tests(t, document)
	for name, became := range want {
		if found[name] != became {
			t.Errorf("%s is %q, want %q, of %v", name, found[name], became, found)
		}
	}
}

// ofSuite plays a run of a suite that failed, in the revision and with the hash of its specification.
func ofSuite(t *testing.T, run *benchv1alpha1.BenchmarkRun, revision, hash, repetition string) {
	t.Helper()
	run.Labels = map[string]string{
		suite.Label: "index", suite.RevisionLabel: revision, suite.SpecHashLabel: hash, suite.RepetitionLabel: repetition,
	}
	run.Annotations = map[string]string{suite.VariantAnnotation: "without"}
	if err := environment.client.Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	end(t, run, "False", "Crashed", 0)
}

func TestVerdictsOfASuiteAsTests(t *testing.T) {
	here := namespace(t)
	made := createSuite(t, here, "index")
	storeResult(t, made)
	tell(t, made, func() {
		made.Status.Variants = []benchv1alpha1.VariantStatus{{
			Name: "without", SpecHash: "cafe", Succeeded: new(int32(5)), Failed: new(int32(2)),
		}}
	})
	ofSuite(t, createRun(t, here, "present"), "5e2f", "beef", "6")
	ofSuite(t, createRun(t, here, "taken-over"), "1c3d", "cafe", "7")
	ofSuite(t, createRun(t, here, "earlier"), "1c3d", "f00d", "8")
	out, errOut, code := run(t, here, "report", "index", "-o", "junit")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantTests(t, out, map[string]string{
		"index passed": "failure", "index.without throughput read": "failure", "index.with repetition 1": "passed",
		"index.without repetition 6": "error", "index.without repetition 7": "error", "index.without repetition 8": "",
	})
	wantIn(t, out, `<property name="revision" value="5e2f">`, `<property name="failOn" value="NotDetected">`,
		"run taken-over failed: Crashed")
}

func TestWhatEndedWithoutAResultIsATestThatSaysWhy(t *testing.T) {
	here, folder := namespace(t), t.TempDir()
	end(t, createRun(t, here, "standalone"), "False", "Crashed", 0)
	out, errOut, code := run(t, here, "report", "standalone", "-o", "junit")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantTests(t, out, map[string]string{"standalone succeeded": "error"})
	if _, _, code := run(t, here, "report", "standalone"); code != exitFailed {
		t.Errorf("as text the exit code is %d, want %d", code, exitFailed)
	}
	if _, errOut, code := run(t, here, "run", "-f", sample("standalone"), "--save", folder); code != exitFailed {
		t.Errorf("exit code %d, want %d: %s", code, exitFailed, errOut)
	}
	saved, err := os.ReadFile(filepath.Join(folder, "standalone", "report.xml"))
	if err != nil || string(saved) != out {
		t.Errorf("it was saved with %v as\n%s", err, saved)
	}

	refused := createSuite(t, here, "index")
	tell(t, refused, func() {
		refused.Status.Conditions = set(refused.Generation, [4]string{"Accepted", "False", "Invalid", "spec.baseline"})
	})
	out, errOut, code = run(t, here, "report", "index", "-o", "junit")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantTests(t, out, map[string]string{"index passed": "error"})
	if _, errOut, code := run(t, here, "run", "-f", sample("suite"), "--save", folder); code != exitRefused {
		t.Errorf("exit code %d, want %d: %s", code, exitRefused, errOut)
	}
	if saved, err := os.ReadFile(filepath.Join(folder, "index", "report.xml")); err != nil || string(saved) != out {
		t.Errorf("it was saved with %v as\n%s", err, saved)
	}
}

func TestWhatHasNotEndedIsNoTestYet(t *testing.T) {
	here := namespace(t)
	createRun(t, here, "young")
	createSuite(t, here, "early")
	for _, name := range []string{"young", "early"} {
		out, errOut, code := run(t, here, "report", name, "-o", "junit")
		if code != exitFailed || out != "" {
			t.Errorf("exit code %d, want %d; output %q", code, exitFailed, out)
		}
		wantIn(t, errOut, name+" has no result")
	}
}

func TestComparedRunsAsTests(t *testing.T) {
	here := namespace(t)
	end(t, createRun(t, here, "fast"), "True", "Completed", 20000)
	end(t, createRun(t, here, "slow"), "True", "Completed", 40000)
	out, errOut, code := run(t, here, "compare", "fast", "slow", "-o", "junit")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantTests(t, out, map[string]string{
		"compare.slow p99 mixed read": "failure", "compare.slow repetition 1": "passed",
		"compare.fast repetition 1": "passed",
	})
}

func TestFormsAreCompleted(t *testing.T) {
	out, _, code := alone(t, "__complete", "report", "index", "-o", "")
	if lines := strings.Split(out, "\n"); code != 0 || !slices.Contains(lines, formJUnit) {
		t.Errorf("exit code %d, completed with %q", code, lines)
	}
}
