//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	seeItPage = "../../docs/how-to/see-it.md"
	// walkHeading is above the commands that are followed.
	walkHeading = "## The whole way\n"
)

// walkStep is a command of the page, and what the page says is seen.
type walkStep struct {
	command string
	code    int
	// says is what stands in the output.
	says []string
	// look is at what it left behind; nil for nothing.
	look func(*testing.T, *walk)
}

// walk is a user at a terminal, in a folder and a namespace of the test.
type walk struct {
	namespace   *harness.Namespace
	folder      string
	environment []string
}

// TestTheWholeWay does what docs/how-to/see-it.md says, command by command, with a real kubectl and the plugin beside
// it at a terminal. Files are made smaller where waiting would take too long.
func TestTheWholeWay(t *testing.T) {
	t.Parallel()
	w := newWalk(t)
	steps := walkSteps()
	wanted := make([]string, 0, len(steps))
	for _, step := range steps {
		wanted = append(wanted, step.command)
	}
	if diff := cmp.Diff(wanted, pageCommands(t, seeItPage, walkHeading)); diff != "" {
		t.Fatalf("the commands of %s are not those that are tried (-tried +page):\n%s", seeItPage, diff)
	}
	for _, step := range steps {
		began := time.Now()
		code, said := w.run(t, step.command)
		if code != step.code {
			t.Fatalf("%s: exit code %d, want %d:\n%s", step.command, code, step.code, said)
		}
		for _, text := range step.says {
			if !strings.Contains(said, text) {
				t.Errorf("%s: %q does not stand in:\n%s", step.command, text, said)
			}
		}
		if step.look != nil {
			step.look(t, w)
		}
		cluster.Summary.Figure("see it: %5.1f s, exit code %d: %s", time.Since(began).Seconds(), code, step.command)
	}
}

func walkSteps() []walkStep {
	return []walkStep{
		{command: "kubectl mongobench doctor", says: []string{"ok    operator", "ok    namespace", "rights for run"}},
		{command: "kubectl mongobench new standalone > standalone.yaml", look: smaller("standalone.yaml")},
		{
			command: "kubectl mongobench estimate -f standalone.yaml",
			says:    []string{"run/standalone", "members", "load pods", "topology Job", "people"},
		},
		{
			command: "kubectl mongobench run -f standalone.yaml",
			// One line, which is written over itself.
			says: []string{"\r\x1b[K", "Measuring", "ops/s", "Step mixed:", "Trusted: ", "Stages", "run/standalone: succeeded"},
		},
		{
			command: "kubectl mongobench report standalone -o html --out standalone.html",
			look:    showsRuns("standalone.html", "standalone"),
		},
		{command: "sed 's/name: standalone/name: again/' standalone.yaml > again.yaml"},
		{command: "kubectl mongobench run -f again.yaml", says: []string{"run/again: succeeded"}},
		{
			command: "kubectl mongobench compare standalone again -o html --out both.html",
			look:    showsRuns("both.html", "standalone", "again"),
		},
		{command: "kubectl mongobench new suite > suite.yaml", look: smaller("suite.yaml")},
		{
			command: "kubectl apply --server-side -f suite.yaml",
			says:    []string{"benchmarksuite.mongobench.dev/index serverside-applied"},
		},
		{
			command: "kubectl mongobench wait index --fail-on-regression", code: 1,
			says: []string{"suite/index: regressed: "},
		},
		{command: "kubectl mongobench report index -o html --out index.html", look: holds("index.html", "index", "without")},
		{command: "kubectl mongobench export index -d results", says: []string{"result.json"}, look: hasTables},
		{command: "kubectl mongobench rm standalone again index", look: allGone},
	}
}

// pageCommands are those of the first block of a page below a heading, in their order.
func pageCommands(t *testing.T, page, heading string) []string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(content), heading)
	_, block, found := strings.Cut(after, "\n```\n")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !found || !closed {
		t.Fatalf("%s has no block of commands below %q", page, heading)
	}
	return strings.Split(block, "\n")
}

// newWalk builds the plugin into a folder of PATH, beside a kubectl whose current namespace is that of the test.
func newWalk(t *testing.T) *walk {
	t.Helper()
	n := cluster.Namespace(t)
	folder, bin := t.TempDir(), t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "kubectl-mongobench"),
		"../../cmd/kubectl-mongobench")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the plugin: %v\n%s", err, said)
	}
	config := filepath.Join(folder, "kubeconfig")
	w := &walk{namespace: n, folder: folder, environment: append(os.Environ(),
		"PATH="+bin+":"+os.Getenv("PATH")+":"+harness.KubectlFolder(t), "KUBECONFIG="+config, "TERM=xterm", "NO_COLOR=1")}
	content, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatalf("reading the kubeconfig: %v", err)
	}
	if err := os.WriteFile(config, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := w.run(t, "kubectl config set-context --current --namespace "+n.Name); code != 0 {
		t.Fatalf("choosing the namespace: %s", said)
	}
	return w
}

// run has a shell at a terminal run a command, and returns its exit code and what was to be seen.
func (w *walk) run(t *testing.T, command string) (code int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.SuiteTime)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", command)
	shell.Dir, shell.Env = w.folder, w.environment
	return harness.OnTerminal(t, shell)
}

// smaller makes a sample fit beside other scenarios: it takes less time, and asks less of the nodes.
func smaller(file string) func(*testing.T, *walk) {
	return func(t *testing.T, w *walk) {
		t.Helper()
		path := filepath.Join(w.folder, file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range [][2]string{
			// Enough that a lost index shows on a machine that does other things, too.
			{`documentCount: 5000\b`, `documentCount: 20000`},
			{`documentCount: 100000`, `documentCount: 5000`},
			{`durationSeconds: \d+`, `durationSeconds: 3`},
			{`limits: (\{cpu: \d+m, memory: \w+\})`, "limits: $1, requests: {cpu: 100m}"},
			{`(?m)^  repetitions: 5$`, "  repetitions: 5\n  targetReuse: PerVariant"},
			// The other scenarios have the same cores, and their pods may leave a node without room for one more.
			{
				`ignoreDifferences: \[throttledPercent\]`,
				`ignoreDifferences: [throttledPercent, roundTripMicros, stealPercent, sharedNodes]`,
			},
			{
				`allowDoubts: \[GeneratorLate, ServerThrottled\]`,
				`allowDoubts: [GeneratorLate, GeneratorSaturated, ServerThrottled, SharedNode]`,
			},
		} {
			content = regexp.MustCompile(change[0]).ReplaceAll(content, []byte(change[1]))
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// holds wants of a page that it needs no network and has these words.
func holds(file string, words ...string) func(*testing.T, *walk) {
	return func(t *testing.T, w *walk) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(w.folder, file))
		if err != nil {
			t.Error(err)
		}
		for _, word := range append(words, "default-src 'none'") {
			if !strings.Contains(string(content), word) {
				t.Errorf("%s (%d bytes) does not have %q", file, len(content), word)
			}
		}
	}
}

// showsRuns wants of a page the names of runs, and how many operations they did.
func showsRuns(file string, runs ...string) func(*testing.T, *walk) {
	return func(t *testing.T, w *walk) {
		t.Helper()
		words := slices.Clone(runs)
		for _, name := range runs {
			run := &benchv1alpha1.BenchmarkRun{}
			w.namespace.Fetch(t, name, run)
			for _, operation := range run.Status.Result.Steps[0].Operations {
				words = append(words, strconv.FormatInt(*operation.Count, 10))
			}
		}
		holds(file, words...)(t, w)
	}
}

// hasTables wants every file that was exported to have something in it.
func hasTables(t *testing.T, w *walk) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.folder, "results", "*"))
	if err != nil || len(files) < 4 {
		t.Errorf("there are %v (%v), want tables and the result", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s is empty (%v)", filepath.Base(file), err)
		}
	}
}

func allGone(t *testing.T, w *walk) {
	t.Helper()
	w.namespace.WaitLeft(t, removalDeadline)
}
