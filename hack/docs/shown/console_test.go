package shown

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

const (
	// anything stands for what differs from run to run.
	anything = "…"
	// mongod is the address on the pages.
	mongod = "127.0.0.1:27017"
	// What comments before blocks say.
	fails       = "ends with an error"
	figuresVary = "figures differ"
)

// figure is a number with its unit, or what stands in the place of one that is not known.
var figure = regexp.MustCompile(`\b[0-9][0-9,.]*(?: (?:µs|ms|s|%|[KMG]iB|B)(?:/s)?)?(?:\s|$|,)|\bfew\b`)

// shell is where the commands of a page run.
type shell struct {
	environment []string
	folder      string
	// server is the address of the mongod that answers in place of the page's one; it begins empty.
	server string
}

// TestConsole runs the commands of the pages, and compares what they print.
func TestConsole(t *testing.T) {
	variables := newVariables(t)
	pages := map[string][]block{}
	for _, one := range blocks(t, "console") {
		pages[one.page] = append(pages[one.page], one)
	}
	validated := 0
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		t.Run(page, func(t *testing.T) {
			s := shell{variables, t.TempDir(), newServer(t)}
			for _, name := range []string{"config", "charts"} {
				if err := os.Symlink(absolute(t, filepath.Join(root, name)), filepath.Join(s.folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			for _, one := range pages[page] {
				s.follow(t, one)
			}
			validated += s.reports(t)
		})
	}
	if validated == 0 {
		t.Error("no page has a command that writes a report")
	}
}

// newServer is the address of a server as readers have one, which keeps its diagnostic data; others of tests do not.
func newServer(t *testing.T) string {
	t.Helper()
	return mongotest.StartExactly(t, mongotest.Newest(), func(data string, port int) []string {
		return []string{
			"--dbpath", data, "--port", strconv.Itoa(port), "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25",
		}
	}).Address
}

// asShown has the page's address in place of the server's, also as names of files have it.
func (s shell) asShown(printed string) string {
	inFiles := func(address string) string { return strings.ReplaceAll(address, ":", "_") }
	return strings.NewReplacer(s.server, mongod, inFiles(s.server), inFiles(mongod)).Replace(printed)
}

// reports that were written are as the schema says; it tells how many there are.
func (s shell) reports(t *testing.T) int {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.folder, "*", "report.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, string(text))
	}
	return len(files)
}

// command is a line of a block, with those that a backslash at its end goes on in, and what follows it.
type command struct{ line, printed string }

func commands(text string) []command {
	parts := strings.Split("\n"+text, "\n$ ")[1:]
	found := make([]command, 0, len(parts))
	for _, part := range parts {
		line, printed, _ := strings.Cut(part, "\n")
		for strings.HasSuffix(line, `\`) {
			next, rest, _ := strings.Cut(printed, "\n")
			line, printed = line+"\n"+next, rest
		}
		found = append(found, command{line, printed})
	}
	return found
}

// follow runs the commands of a block.
func (s shell) follow(t *testing.T, of block) {
	t.Helper()
	for _, shown := range commands(of.text) {
		s.run(t, of, shown)
	}
}

func (s shell) run(t *testing.T, of block, shown command) {
	t.Helper()
	line := strings.ReplaceAll(shown.line, mongod, s.server)
	run := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", line)
	run.Dir, run.Env = s.folder, s.environment
	var printed bytes.Buffer
	run.Stdout, run.Stderr = &printed, &printed
	err := run.Run()
	got := s.asShown(printed.String())
	if (err != nil) != (of.comment == fails) {
		t.Fatalf("%s: %s: %v:\n%s", of.where(), shown.line, err, got)
	}
	want, printedNow := shown.printed, got
	if of.comment == figuresVary {
		want, printedNow = withoutFigures(want), withoutFigures(got)
	}
	if !pattern(want).MatchString(trimmed(printedNow)) {
		t.Errorf("%s: %s: the page shows\n%s\nand it printed\n%s", of.where(), shown.line, shown.printed, got)
	}
}

// withoutFigures has the same word for every figure, and one blank between words.
func withoutFigures(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		plain := figure.ReplaceAllString(line, " N ")
		lines.WriteString(strings.Join(strings.Fields(plain), " ") + "\n")
	}
	return lines.String()
}

// pattern is what a page shows as an expression.
func pattern(shown string) *regexp.Regexp {
	var text strings.Builder
	for line := range strings.Lines(trimmed(shown)) {
		line = strings.TrimSuffix(line, "\n")
		if line == anything {
			text.WriteString(`(?:.*\n)*`)
			continue
		}
		text.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), anything, ".*") + `\n`)
	}
	return regexp.MustCompile(`^` + text.String() + `$`)
}

// trimmed lines have no blanks at their ends, and the last one is ended.
func trimmed(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return lines.String()
}

func TestPattern(t *testing.T) {
	for shown, printed := range map[string]string{
		"a …\n…\nz\n": "a 1\nb\nc\nz\n", "…\nz\n": "z\n", "a\n": "a  \n", "": "",
	} {
		if !pattern(shown).MatchString(trimmed(printed)) {
			t.Errorf("%q is not matched by %q", printed, shown)
		}
	}
	if got := withoutFigures("a  1,234 b 1.5 ms   c few d 3 %\n"); got != "a N b N c N d N\n" {
		t.Errorf("without figures: %q", got)
	}
	for shown, printed := range map[string]string{"a …\n": "a 1\nb\n", "a\n": "ab\n", "": "a\n", "a\n…\nz\n": "a\n"} {
		if pattern(shown).MatchString(trimmed(printed)) {
			t.Errorf("%q is matched by %q", printed, shown)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// newVariables builds the programs and writes a kubeconfig, and returns the environment that has both.
func newVariables(t *testing.T) []string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	for _, program := range []string{"loadgen", "kubectl-mongobench"} {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, program), "./cmd/"+program)
		build.Dir = root
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", program, err, said)
		}
	}
	if err := os.Symlink(helm(t), filepath.Join(bin, "helm")); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(home, "kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigOf(environment.Config), kubeconfig); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "HOME="+home, "KUBECONFIG="+kubeconfig, "NO_COLOR=1",
		"PATH="+bin+":"+os.Getenv("PATH")+":"+testenv.Assets())
}

func kubeconfigOf(config *rest.Config) clientcmdapi.Config {
	return clientcmdapi.Config{
		CurrentContext: "tests",
		Contexts: map[string]*clientcmdapi.Context{
			"tests": {Cluster: "tests", AuthInfo: "tests", Namespace: "default"},
		},
		Clusters: map[string]*clientcmdapi.Cluster{
			"tests": {Server: config.Host, CertificateAuthorityData: config.CAData},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{
			"tests": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData},
		},
	}
}
