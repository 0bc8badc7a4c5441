package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
)

func TestExitCodes(t *testing.T) {
	cases := map[string]struct {
		err  error
		want int
	}{
		"success":                   {nil, 0},
		"a run that succeeded":      {told(show.Succeeded, true), 0},
		"a run that failed":         {told(show.Failed, false), exitFailed},
		"a suite that regressed":    {told(show.Regressed, true), exitFailed},
		"a regression not asked of": {told(show.Regressed, false), 0},
		"a run that was refused":    {told(show.Refused, false), exitRefused},
		"a file that was refused":   {fmt.Errorf("applying: %w", cluster.ErrRefused), exitRefused},
		"a wrong command line":      {fmt.Errorf("%w: -f is missing", cluster.ErrUsage), exitUsage},
		"no end in time":            {fmt.Errorf("%w: after an hour", errTimedOut), exitTimedOut},
		"an interrupt":              {fmt.Errorf("%w: run/a goes on", errInterrupted), exitInterrupted},
		"a cluster that is away":    {errors.New("connection refused"), exitFailed},
		"of two the gravest":        {errors.Join(told(show.Failed, true), cluster.ErrRefused), exitRefused},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(tc.err); got != tc.want {
				t.Errorf("%v: got %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

// appliedRun waits until a run is there, which a command applies meanwhile.
func appliedRun(t *testing.T, c *call, namespace, name string) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	until(t, c.out, "run/"+name+" applied in namespace "+namespace)
	found := &benchv1alpha1.BenchmarkRun{}
	if err := environment.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRunAppliesAndFollowsUntilTheEnd(t *testing.T) {
	here := namespace(t)
	called := start(t.Context(), nil, here, "run", "-f", sample("standalone"))
	made := appliedRun(t, called, here, "standalone")
	if got := made.ManagedFields[0]; got.Manager != cluster.FieldManager || got.Operation != "Apply" {
		t.Errorf("the API server notes %s by %s, want Apply by %s", got.Operation, got.Manager, cluster.FieldManager)
	}
	until(t, called.out, "for the operator")
	measuring(t, made, 40, 2900)
	until(t, called.out, "Measuring     mixed   40 %  2,900 ops/s")
	end(t, made, "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
	wantIn(t, called.out.String(), "mixed  read       44,070", "run/standalone: succeeded\n")
	if strings.ContainsAny(called.out.String(), "\x1b\r") {
		t.Errorf("what is piped has controls of a terminal:\n%q", called.out)
	}
}

func TestALogGetsNoProgressAfterTheReport(t *testing.T) {
	here := namespace(t)
	called := start(t.Context(), nil, here, "run", "-f", sample("standalone"))
	made := appliedRun(t, called, here, "standalone")
	tell(t, made, func() {
		made.Status.Summary, made.Status.Result = summary(37400), measured(37400)
		made.Status.Conditions = set(made.Generation, [4]string{"Progressing", "True", "CleaningUp", "pods are removed"},
			[4]string{"Succeeded", "True", "Completed", "as the test says"})
	})
	until(t, called.out, "run/standalone: succeeded\n")
	before := called.out.String()
	<-time.After(3 * quick)
	if got := called.out.String(); got != before {
		t.Errorf("while the run is cleaned up, this is written:\n%s", strings.TrimPrefix(got, before))
	}
	end(t, made, "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
}

func TestRunOfWhatHasEndedAppliesNothingNew(t *testing.T) {
	here := namespace(t)
	for range 2 {
		called := start(t.Context(), nil, here, "run", "-f", sample("standalone"))
		made := appliedRun(t, called, here, "standalone")
		if made.Generation != 1 {
			t.Errorf("the run has generation %d", made.Generation)
		}
		end(t, made, "False", "OOMKilled", 0)
		if code := called.wait(t); code != exitFailed {
			t.Errorf("exit code %d, want %d", code, exitFailed)
		}
		wantIn(t, called.out.String(), "run/standalone: failed: OOMKilled: as the test says",
			"Succeeded    False   OOMKilled")
	}
}

func TestRunOfASuite(t *testing.T) {
	for name, tc := range map[string]struct {
		complete  string
		regressed [2]string
		want      int
		says      string
	}{
		"that did not regress": {"AllSucceeded", [2]string{"False", "NoRegression"}, 0, "succeeded, not regressed"},
		"that regressed":       {"AllSucceeded", [2]string{"True", "MetricRegressed"}, exitFailed, "regressed: "},
		"that is inconclusive": {
			"AllSucceeded", [2]string{"Unknown", "Inconclusive"}, 0, "without a verdict on regressions: Inconclusive",
		},
		"with a run that failed": {"SomeFailed", [2]string{"False", "NoRegression"}, exitFailed, "failed: SomeFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			here := namespace(t)
			called := start(t.Context(), nil, here, "run", "-f", sample("suite"))
			until(t, called.out, "suite/index applied")
			made := &benchv1alpha1.BenchmarkSuite{}
			made.Namespace, made.Name = here, "index"
			endSuite(t, made, tc.complete, tc.regressed)
			if code := called.wait(t); code != tc.want {
				t.Errorf("exit code %d, want %d: %s", code, tc.want, called.errOut)
			}
			wantIn(t, called.out.String(), tc.says)
		})
	}
}

func TestRunRefusesWhatMakesNoSense(t *testing.T) {
	here := namespace(t)
	write := func(content string) string { return written(t, content) }
	header := "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	for name, tc := range map[string]struct {
		arguments []string
		want      int
		says      string
	}{
		"no file":              {[]string{}, exitUsage, "must specify"},
		"a file that is none":  {[]string{"-f", "/nowhere.yaml"}, exitUsage, "/nowhere.yaml"},
		"text that is no YAML": {[]string{"-f", write("a: b: c")}, exitUsage, "YAML"},
		"nothing to be run": {
			[]string{"-f", write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")},
			exitUsage,
			"there is no BenchmarkRun",
		},
		"an unknown kind": {
			[]string{"-f", write("apiVersion: a/v1\nkind: B\nmetadata: {name: a}\n")},
			exitFailed,
			"is the operator installed",
		},
		"two runs of one name": {
			[]string{"-f", write(header + "---\n" + header)},
			exitUsage,
			"run/a is in the files more than once",
		},
		"an object without a name": {
			[]string{"-f", write("apiVersion: v1\nkind: Secret\n")}, exitUsage, "there is no BenchmarkRun",
		},
		"an empty file":                {[]string{"-f", write("")}, exitUsage, "there is no BenchmarkRun"},
		"a document that is no object": {[]string{"-f", write("- a\n- b\n")}, exitUsage, "cannot unmarshal array"},
		"a mapping that is no object":  {[]string{"-f", write("a: b\n")}, exitUsage, "Object 'Kind' is missing"},
		"a run of another version": {
			[]string{"-f", write(strings.Replace(header, "v1alpha1", "v9", 1))}, exitFailed, "is the operator installed",
		},
		"a run without a field": {[]string{"-f", write(header + "spec: {}\n")}, exitRefused, "applying BenchmarkRun a"},
		"an unknown field":      {[]string{"-f", write(header + "spec: {fly: true}\n")}, exitRefused, "fly"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, here, append([]string{"run"}, tc.arguments...)...)
			if code != tc.want || out != "" {
				t.Errorf("exit code %d, want %d; output %q", code, tc.want, out)
			}
			wantIn(t, errOut, tc.says)
		})
	}
}

// written is a file with this content.
func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// renamed is a sample under other names, as documents of one file, after something else.
func renamed(t *testing.T, before, file string, names ...string) string {
	t.Helper()
	content, err := os.ReadFile(sample(file))
	if err != nil {
		t.Fatal(err)
	}
	all := append(make([]string, 0, 1+len(names)), before)
	for _, name := range names {
		all = append(all, strings.Replace(string(content), "name: "+file, "name: "+name, 1))
	}
	return written(t, strings.Join(all, "\n---\n"))
}

func TestRunsOneByOne(t *testing.T) {
	here, elsewhere := namespace(t), namespace(t)
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: where, namespace: " + elsewhere + "}\n"
	file := renamed(t, secret, "standalone", "first", "second")
	called := start(t.Context(), nil, here, "run", "-f", file, "--one-by-one")
	first := appliedRun(t, called, here, "first")
	if err := environment.client.Get(t.Context(), keyOf(elsewhere, "where"), &corev1.Secret{}); err != nil {
		t.Errorf("what the runs need: %v", err)
	}
	measuring(t, first, 40, 2900)
	until(t, called.out, "2,900 ops/s")
	err := environment.client.Get(t.Context(), keyOf(here, "second"), &benchv1alpha1.BenchmarkRun{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the second run is there while the first one is measured: %v", err)
	}
	end(t, first, "False", "Crashed", 0)
	end(t, appliedRun(t, called, here, "second"), "True", "Completed", 37400)
	if code := called.wait(t); code != exitFailed {
		t.Errorf("exit code %d, want that of the run that failed: %s", code, called.errOut)
	}
	wantIn(t, called.out.String(), "Crashed  set `cleanupPolicy: KeepOnFailure`", "run/second: succeeded",
		"first   failed\nsecond  succeeded  mixed  read")
}

func TestRunTakesOnlyWhatIsNamed(t *testing.T) {
	here := namespace(t)
	file := renamed(t, "", "standalone", "first", "second")
	called := start(t.Context(), nil, here, "run", "-f", file, "--only", "second")
	end(t, appliedRun(t, called, here, "second"), "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
	err := environment.client.Get(t.Context(), keyOf(here, "first"), &benchv1alpha1.BenchmarkRun{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a run that was not asked for is there: %v", err)
	}
	_, errOut, code := run(t, here, "run", "-f", file, "--only", "fourth")
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	wantIn(t, errOut, "named [fourth]")
}

func TestRunReplacesAnEarlierOne(t *testing.T) {
	here := namespace(t)
	old := createRun(t, here, "standalone")
	end(t, old, "True", "Completed", 37400)
	header := "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: standalone}\n"
	if _, errOut, code := run(t, here, "run", "--replace", "-f", written(t, header+"spec: {}\n")); code != exitRefused {
		t.Errorf("exit code %d, want %d: %s", code, exitRefused, errOut)
	}
	if err := environment.client.Get(t.Context(), keyOf(here, "standalone"), old); err != nil {
		t.Errorf("a mistake in the file cost the earlier run: %v", err)
	}
	called := start(t.Context(), nil, here, "run", "--replace", "-f", sample("standalone"))
	until(t, called.out, "run/standalone is being deleted")
	collect(t, &benchv1alpha1.BenchmarkRun{}, here, "standalone")
	made := appliedRun(t, called, here, "standalone")
	if made.UID == old.UID {
		t.Error("it is the earlier run")
	}
	end(t, made, "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
}

func TestRunSavesResultsInEveryForm(t *testing.T) {
	here, folder := namespace(t), t.TempDir()
	storeReport(t, createRun(t, here, "standalone"))
	called := start(t.Context(), nil, here, "run", "-f", sample("standalone"), "--save", folder)
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
	saved := filepath.Join(folder, "standalone")
	wantIn(t, called.out.String(), "Server     MongoDB 6.0.5",
		"report.csv, report.ftdc.tar, report.html, report.json, report.md, report.txt, report.xml are in "+saved)
	for file, want := range map[string]string{
		"report.txt": "Server     MongoDB", "report.json": `"version": "6.0.5"`, "report.csv": "step,operation",
		"report.html": "<!doctype html>", "report.md": "Run standalone", "report.ftdc.tar": "no diagnostic data was kept",
		"report.xml": `<testcase classname="standalone" name="succeeded"`,
	} {
		content, err := os.ReadFile(filepath.Join(saved, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ToLower(string(content)), strings.ToLower(want)) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
}

func TestRunSavesTheTablesOfASuite(t *testing.T) {
	here, folder := namespace(t), t.TempDir()
	storeResult(t, createSuite(t, here, "index"))
	called := start(t.Context(), nil, here, "run", "-f", sample("suite"), "--save", folder)
	if code := called.wait(t); code != exitFailed {
		t.Errorf("exit code %d, want %d of a regression: %s", code, exitFailed, called.errOut)
	}
	for _, file := range []string{
		"comparison.csv", "samples.csv", "result.json", "report.html", "report.svg",
		"report.md", "report.xml",
	} {
		if info, err := os.Stat(filepath.Join(folder, "index", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAChangedRunIsRefused(t *testing.T) {
	here := namespace(t)
	end(t, createRun(t, here, "standalone"), "True", "Completed", 37400)
	content, err := os.ReadFile(sample("standalone"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "changed.yaml")
	content = bytes.Replace(content, []byte("documentCount: 100000"), []byte("documentCount: 99999"), 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, errOut, code := run(t, here, "run", "-f", path, "--force-conflicts")
	if code != exitRefused {
		t.Errorf("exit code %d, want %d: %s", code, exitRefused, errOut)
	}
}

func TestWatchEndsWhen(t *testing.T) {
	t.Run("the time is up", func(t *testing.T) {
		here := namespace(t)
		createRun(t, here, "slow")
		_, errOut, code := run(t, here, "watch", "slow", "--timeout", "20ms")
		if code != exitTimedOut {
			t.Errorf("exit code %d, want %d", code, exitTimedOut)
		}
		wantIn(t, errOut, "timed out: after 20ms run/slow has not ended")
	})
	t.Run("nothing changes any more", func(t *testing.T) {
		here := namespace(t)
		createRun(t, here, "slow")
		_, errOut, code := run(t, here, "watch", "slow", "--stall-timeout", "20ms")
		if code != exitTimedOut {
			t.Errorf("exit code %d, want %d", code, exitTimedOut)
		}
		wantIn(t, errOut, "nothing has changed for 20ms; run/slow stands at: Waiting", "see the operator's log")
	})
	t.Run("the user interrupts", func(t *testing.T) {
		here := namespace(t)
		createRun(t, here, "slow")
		ctx, interrupt := context.WithCancel(t.Context())
		called := start(ctx, nil, here, "watch", "slow")
		until(t, called.out, "for the operator")
		interrupt()
		if code := called.wait(t); code != exitInterrupted {
			t.Errorf("exit code %d, want %d", code, exitInterrupted)
		}
		wantIn(t, called.errOut.String(), "interrupted; run/slow goes on")
	})
	t.Run("the run is deleted", func(t *testing.T) {
		here := namespace(t)
		made := createRun(t, here, "slow")
		called := start(t.Context(), nil, here, "watch", "slow")
		until(t, called.out, "for the operator")
		if err := environment.client.Delete(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		if code := called.wait(t); code != exitFailed {
			t.Errorf("exit code %d, want %d", code, exitFailed)
		}
		wantIn(t, called.errOut.String(), "it was deleted")
	})
}

func TestWait(t *testing.T) {
	here := namespace(t)
	endSuite(t, createSuite(t, here, "worse"), "AllSucceeded", [2]string{"True", "MetricRegressed"})
	end(t, createRun(t, here, "broken"), "False", "Crashed", 0)
	end(t, createRun(t, here, "fine"), "True", "Completed", 1)
	createRun(t, here, "slow")
	for name, tc := range map[string]struct {
		arguments []string
		want      int
		says      string
	}{
		"a run that succeeded":             {[]string{"fine"}, 0, "run/fine: succeeded\n"},
		"a run that failed":                {[]string{"broken"}, exitFailed, "run/broken: failed: Crashed"},
		"a suite that regressed":           {[]string{"worse", "--for=complete"}, 0, "suite/worse: regressed"},
		"a regression that is not allowed": {[]string{"worse", "--fail-on-regression"}, exitFailed, "suite/worse: regressed"},
		"a run that goes on":               {[]string{"slow", "--timeout=20ms"}, exitTimedOut, "timed out"},
		"something that cannot be":         {[]string{"fine", "--for=delete"}, exitUsage, "complete only"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, here, append([]string{"wait"}, tc.arguments...)...)
			if code != tc.want {
				t.Errorf("exit code %d, want %d", code, tc.want)
			}
			wantIn(t, out+errOut, tc.says)
		})
	}
}

func TestVersionNeedsNoCluster(t *testing.T) {
	out, errOut, code := run(t, "", "version", "--kubeconfig", "/nowhere")
	if code != 0 || !strings.HasPrefix(out, "kubectl-mongobench dev, go") {
		t.Errorf("exit code %d, printed %q, %q", code, out, errOut)
	}
}
