package actions

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// folder of the action.
const folder = "../../.github/actions/benchmark-comment"

// action is what is used of an action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Default     string
		Required    bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var read action
	if err := yaml.UnmarshalStrict(content, &read); err != nil {
		t.Fatal(err)
	}
	if read.Runs.Using != "composite" || len(read.Runs.Steps) != 1 || read.Runs.Steps[0].Shell != "bash" {
		t.Fatalf("the tests know an action of one step of bash: %+v", read.Runs)
	}
	return read
}

// expression is what a runner replaces.
var expression = regexp.MustCompile(`\$\{\{ *([a-z_.-]+) *\}\}`)

// evaluate replaces expressions by values of the contexts.
func evaluate(t *testing.T, text string, contexts map[string]string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		name := expression.FindStringSubmatch(found)[1]
		value, known := contexts[name]
		if !known {
			t.Errorf("nothing is known of %s", found)
		}
		return value
	})
}

// job is where an action runs.
type job struct {
	// programs is the first folder of its PATH, record what was written down of them, and temporary what the script keeps.
	programs, record, temporary string
	// contexts are github.* of the workflow, and with the inputs that are given.
	contexts, with map[string]string
	// environment is what else the action is started with.
	environment []string
}

// recorded writes down what a program is given.
const recorded = `#!/bin/bash
{ printf '%s\n' "${0##*/}" "$@" ---; } >>"$RECORD/arguments"
export -p >>"$RECORD/environment"
`

const token = "ghs_A-secret.that_nobody_sees"

// newJob is one of a pull request whose API is at an address.
func newJob(t *testing.T, api string) *job {
	t.Helper()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal("needs curl: hack/make/prerequisites.sh curl jq")
	}
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatal("needs jq: hack/make/prerequisites.sh curl jq")
	}
	j := &job{
		programs: t.TempDir(), record: t.TempDir(), temporary: t.TempDir(),
		contexts: map[string]string{
			"github.api_url": api, "github.token": token, "github.repository": "mongobench/example",
			"github.event.pull_request.number": "7",
		},
		with: map[string]string{"suite": "nightly", "namespace": "benchmarks"},
	}
	j.program(t, "curl", "exec "+curl+` "$@"`)
	j.program(t, "sleep", ":")
	j.program(t, "kubectl", `echo "it was not to be called" >&2; exit 64`)
	return j
}

// program puts one before those of the machine.
func (j *job) program(t *testing.T, name, does string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(j.programs, name), []byte(recorded+does+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// file gives the action this Markdown.
func (j *job) file(t *testing.T, markdown string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.md")
	if err := os.WriteFile(path, []byte(markdown), 0o600); err != nil {
		t.Fatal(err)
	}
	j.with["file"] = path
}

// ended is how an action ended.
type ended struct {
	code   int
	said   string
	output map[string]string
}

// run runs the action as a runner does.
func (j *job) run(t *testing.T) ended {
	t.Helper()
	read := readAction(t)
	step := read.Runs.Steps[0]
	contexts := maps.Clone(j.contexts)
	for name, input := range read.Inputs {
		contexts["inputs."+name] = evaluate(t, input.Default, j.contexts)
	}
	for name, value := range j.with {
		if _, known := read.Inputs[name]; !known {
			t.Errorf("the action has no input %s", name)
		}
		contexts["inputs."+name] = value
	}
	script, outputs := filepath.Join(t.TempDir(), "step.sh"), filepath.Join(t.TempDir(), "outputs")
	if err := os.WriteFile(script, []byte(step.Run+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	command.Env = slices.Concat(j.environment, []string{
		"PATH=" + j.programs + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + j.temporary,
		"RECORD=" + j.record, "GITHUB_ACTION_PATH=" + path, "GITHUB_OUTPUT=" + outputs,
		"GITHUB_SERVER_URL=https://github.example", "GITHUB_REPOSITORY=mongobench/example", "GITHUB_RUN_ID=42",
	})
	for name, value := range step.Env {
		command.Env = append(command.Env, name+"="+evaluate(t, value, contexts))
	}
	said, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	j.wantSecret(t, contexts["inputs.github-token"], said)
	return ended{code: command.ProcessState.ExitCode(), said: string(said), output: outputsOf(t, read, step.ID, outputs)}
}

// succeed runs the action, which is to end well.
func (j *job) succeed(t *testing.T) ended {
	t.Helper()
	got := j.run(t)
	if got.code != 0 {
		t.Fatalf("it ended with %d:\n%s", got.code, got.said)
	}
	return got
}

// outputsOf are those of the action, from what its step has written.
func outputsOf(t *testing.T, read action, step, file string) map[string]string {
	t.Helper()
	written, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	contexts := map[string]string{}
	for line := range strings.Lines(string(written)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		contexts[fmt.Sprintf("steps.%s.outputs.%s", step, name)] = value
	}
	if len(contexts) == 0 {
		return nil
	}
	values := map[string]string{}
	for name, output := range read.Outputs {
		values[name] = evaluate(t, output.Value, contexts)
	}
	return values
}

// wantSecret looks for the token where nobody is to see it: in what is printed, in arguments, in the environment of
// other programs, and in what is left behind.
func (j *job) wantSecret(t *testing.T, token string, said []byte) {
	t.Helper()
	if left, err := os.ReadDir(j.temporary); err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind: %v", len(left), err)
	}
	if token == "" {
		return
	}
	places := map[string][]byte{"what is printed": said}
	for _, name := range []string{"arguments", "environment"} {
		places["the "+name+" of a program"], _ = os.ReadFile(filepath.Join(j.record, name))
	}
	for place, content := range places {
		if bytes.Contains(content, []byte(token)) {
			t.Errorf("the token is in %s:\n%s", place, content)
		}
	}
}

// calls are the arguments of each call of a program.
func (j *job) calls(t *testing.T, program string) [][]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(j.record, "arguments"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var found [][]string
	for call := range strings.SplitSeq(string(content), "---\n") {
		if words := strings.Split(strings.TrimSuffix(call, "\n"), "\n"); words[0] == program {
			found = append(found, words[1:])
		}
	}
	return found
}
