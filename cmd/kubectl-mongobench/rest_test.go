package main

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
)

func TestNewPrintsASample(t *testing.T) {
	out, _, code := run(t, "default", "new", "standalone")
	content, _ := samples.Read("standalone")
	if out != string(content) || code != 0 || !strings.HasPrefix(out, "# The smallest useful benchmark") {
		t.Errorf("exit code %d, and it is not the file:\n%s", code, out)
	}
	if _, errOut, code := run(t, "default", "new", "nothing"); code != exitUsage {
		t.Errorf("a preset that is none: exit code %d, %s", code, errOut)
	}
}

func TestNewAloneListsAllSamples(t *testing.T) {
	out, _, code := run(t, "default", "new")
	if count := strings.Count(out, "\n"); code != 0 || count != len(samples.Names()) {
		t.Errorf("exit code %d, %d lines of %d presets", code, count, len(samples.Names()))
	}
	wantIn(t, strings.Join(strings.Fields(out), " "), "replicaset A replica set of three members router-client ")
	for _, name := range samples.Names() {
		content, ok := samples.Read(name)
		var object struct {
			Kind string `json:"kind"`
		}
		if err := yaml.Unmarshal(content, &object); err != nil && !strings.Contains(string(content), "\n---\n") || !ok {
			t.Errorf("%s cannot be read: %v", name, err)
		}
		if firstSentence(string(content)) == "" {
			t.Errorf("%s begins with no comment", name)
		}
	}
	if !slices.IsSorted(samples.Names()) {
		t.Errorf("the names are not sorted: %v", samples.Names())
	}
}

func TestCompletionIsWrittenForEveryShell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out, errOut, code := run(t, "default", "completion", shell)
		if code != 0 || !strings.Contains(out, "kubectl-mongobench") {
			t.Errorf("%s: exit code %d: %s", shell, code, errOut)
		}
	}
}

func TestLogsRefuses(t *testing.T) {
	here := namespace(t)
	createRun(t, here, "young")
	_, errOut, code := run(t, here, "logs", "young", "--tail", "5")
	if code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	wantIn(t, errOut, "run young has no pods of these roles")
	if _, errOut, code = run(t, here, "logs", "young", "--role", "mongos"); code != exitUsage {
		t.Errorf("a role that is none: exit code %d: %s", code, errOut)
	}
}

func TestRemoving(t *testing.T) {
	here := namespace(t)
	for _, name := range []string{"first", "second", "kept"} {
		createRun(t, here, name)
	}
	suite := createSuite(t, here, "held")
	suite.Finalizers = []string{"test.mongobench.dev/hold"}
	if err := environment.client.Update(t.Context(), suite); err != nil {
		t.Fatal(err)
	}
	if _, errOut, code := run(t, here, "rm", "first", "third"); code != exitFailed {
		t.Errorf("an unknown name: exit code %d: %s", code, errOut)
	}
	if err := environment.client.Get(t.Context(), keyOf(here, "first"), &benchv1alpha1.BenchmarkRun{}); err != nil {
		t.Errorf("it was deleted though another name was wrong: %v", err)
	}
	// No garbage collector runs here, so what is deleted in the foreground stays until a test plays that.
	called := start(t.Context(), nil, here, "rm", "first", "run/second", "--wait")
	for _, name := range []string{"first", "second"} {
		until(t, called.out, "run/"+name+" is being deleted")
		collect(t, &benchv1alpha1.BenchmarkRun{}, here, name)
	}
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
	wantIn(t, called.out.String(), "run/first is gone", "run/second is gone")
	_, errOut, code := run(t, here, "rm", "held", "--wait", "--timeout", "20ms")
	if code != exitTimedOut {
		t.Errorf("exit code %d, want %d", code, exitTimedOut)
	}
	wantIn(t, errOut, "suite/held is still there")
	if err := environment.client.Get(t.Context(), keyOf(here, "kept"), &benchv1alpha1.BenchmarkRun{}); err != nil {
		t.Errorf("a run without a name: %v", err)
	}
}

func keyOf(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// collect plays the garbage collector.
func collect(t *testing.T, object client.Object, namespace, name string) {
	t.Helper()
	err := environment.client.Get(t.Context(), keyOf(namespace, name), object)
	if apierrors.IsNotFound(err) {
		return
	}
	if err != nil || object.GetDeletionTimestamp() == nil {
		t.Fatalf("%s is not being deleted: %v", name, err)
	}
	object.SetFinalizers(nil)
	if err := environment.client.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}
