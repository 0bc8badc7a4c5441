//go:build e2e

package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TestUIInABrowser has a real browser look at the page while objects change: hack/page/ui.js looks, and says what is to
// happen next. hack/page/test.sh calls it, which has what that needs.
func TestUIInABrowser(t *testing.T) {
	here := namespace(t)
	first := createRun(t, here, "first")
	ctx, interrupt := context.WithCancel(t.Context())
	called := start(ctx, nil, here, "ui")
	until(t, called.out, "token=")
	address := strings.TrimSpace(printed.FindString(called.out.String()))
	measured, err := (&tool{}).readReport(recorded)
	if err != nil {
		t.Fatal(err)
	}
	var second *benchv1alpha1.BenchmarkRun
	looks(t, address, map[string]func(){
		"first is measured": func() { measuring(t, first, 40, 2900) },
		"first is faster":   func() { measuring(t, first, 80, 4100) },
		"second":            func() { second = createRun(t, here, "second") },
		"no second": func() {
			if err := environment.client.Delete(t.Context(), second); err != nil {
				t.Fatal(err)
			}
		},
		"first has ended": func() { endWith(t, first, measured.Report) },
		"a suite":         func() { storeResult(t, createSuite(t, here, "compared")) },
		"third":           func() { createRun(t, here, "third") },
		"the end":         interrupt,
	})
	if code := called.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, called.errOut)
	}
}

// looks has the browser look at a page, and does what it wants.
func looks(t *testing.T, address string, acts map[string]func()) {
	t.Helper()
	browser := exec.CommandContext(t.Context(), "node", filepath.Join(root, "hack", "page", "ui.js"), address)
	browser.Stderr = os.Stderr
	said, err := browser.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		wanted := strings.TrimPrefix(lines.Text(), "wants ")
		act, known := acts[wanted]
		if !known {
			t.Logf("the browser says: %s", lines.Text())
			continue
		}
		act()
		done[wanted] = true
	}
	if err := browser.Wait(); err != nil {
		t.Fatalf("what the browser saw is not as it should be: %v", err)
	}
	if len(done) != len(acts) {
		t.Errorf("the browser wanted %d of %d changes", len(done), len(acts))
	}
}
