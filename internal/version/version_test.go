package version

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLineOfAWorkingTree(t *testing.T) {
	want := "loadgen dev, " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if got := Line("loadgen"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTheLinkerSetsIt keeps the names that hack/release gives to the linker, which ignores those that it does not know.
func TestTheLinkerSetsIt(t *testing.T) {
	const here = "github.com/mongobench/mongobench-operator/internal/version."
	binary := filepath.Join(t.TempDir(), "test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "-ldflags",
		"-X "+here+"number=v1.2.3 -X "+here+"commit=abc -X "+here+"date=2026-01-02T03:04:05Z", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	out, _ := exec.CommandContext(t.Context(), binary, "-test.run", "TestLineOfAWorkingTree").CombinedOutput()
	if want := `got "loadgen v1.2.3, commit abc, 2026-01-02T03:04:05Z, go`; !strings.Contains(string(out), want) {
		t.Errorf("it says no %q:\n%s", want, out)
	}
}
