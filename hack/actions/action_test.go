package actions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// readScript is what the step of the action runs.
func readScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(folder, "comment.sh"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

func TestInputsAreHandedOver(t *testing.T) {
	read, script := readAction(t), readScript(t)
	step, handed := read.Runs.Steps[0], map[string]bool{}
	for name, value := range step.Env {
		if !regexp.MustCompile(`\$\{?` + name + `\b`).MatchString(script) {
			t.Errorf("the script does not read %s", name)
		}
		input, is := strings.CutPrefix(strings.Trim(value, "${} "), "inputs.")
		if !is || value != "${{ inputs."+input+" }}" {
			t.Errorf("%s is %q, and not an input", name, value)
		}
		handed[input] = true
	}
	for name, input := range read.Inputs {
		if !handed[name] || input.Description == "" {
			t.Errorf("the input %s has to be handed over, and described", name)
		}
		if name != "file" && input.Required == (input.Default != "") {
			t.Errorf("the input %s has to be required, or to have a default", name)
		}
	}
	// What an expression stands for would be a part of the program, such as the title of a pull request.
	if strings.Contains(step.Run, "${{") {
		t.Errorf("the step runs an expression: %s", step.Run)
	}
}

func TestTheScriptReadsAndWritesWhatTheActionSays(t *testing.T) {
	read, script := readAction(t), readScript(t)
	for _, found := range regexp.MustCompile(`\$\{?([A-Z][A-Z_]+)\b`).FindAllStringSubmatch(script, -1) {
		if name := found[1]; read.Runs.Steps[0].Env[name] == "" && !strings.HasPrefix(name, "GITHUB_") {
			t.Errorf("the script reads %s, which nobody hands over", name)
		}
	}
	for name, output := range read.Outputs {
		if !strings.Contains(script, name+"=") || output.Description == "" {
			t.Errorf("the output %s has to be written, and described", name)
		}
	}
}

// step of a workflow.
type step struct {
	Uses string
	With map[string]string
}

func TestTheExampleGivesWhatTheActionTakes(t *testing.T) {
	content, err := os.ReadFile("../../config/gitops/ci/github-actions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal(content, &workflow); err != nil {
		t.Fatal(err)
	}
	if workflow.Permissions["pull-requests"] != "write" {
		t.Errorf("the permissions are %v", workflow.Permissions)
	}
	used := 0
	for _, step := range workflow.Jobs["benchmark"].Steps {
		if strings.HasPrefix(step.Uses, "mongobench/mongobench-operator/.github/actions/benchmark-comment@v") {
			used++
			step.check(t, readAction(t))
		}
	}
	if used != 1 {
		t.Errorf("%d steps use the action, want 1", used)
	}
}

// check compares what a step gives an action with what that takes.
func (s step) check(t *testing.T, read action) {
	t.Helper()
	for name := range s.With {
		if _, known := read.Inputs[name]; !known {
			t.Errorf("the action has no input %s", name)
		}
	}
	for name, input := range read.Inputs {
		if input.Required && s.With[name] == "" {
			t.Errorf("the input %s is missing", name)
		}
	}
}
