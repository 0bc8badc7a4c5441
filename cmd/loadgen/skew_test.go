package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// TestWhatALaterOperatorAsksForIsRefused: a load generator that does not know all that it is to do does none of it, and
// says so in a way that the operator can tell from any other error.
func TestWhatALaterOperatorAsksForIsRefused(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(plan, []byte(`{"version":"`+planv1.Version+`","haste":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	inPod := []string{
		"--plan", plan, "--gate-configmap", "g", "--pod-configmap-prefix", "p", "--report-configmap", "r",
		"--collected-configmap", "c",
	}
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"a field of a plan": {append([]string{"run", "--uri", "mongodb://localhost"}, inPod...), `"haste"`},
		"another's reports": {append([]string{"collect"}, inPod...), `"haste"`},
		"a topology":        {[]string{"topology", "--topology", plan, "--result-configmap", "r"}, `"haste"`},
		"a flag":            {append([]string{"run", "--hasten"}, inPod...), "--hasten"},
	} {
		t.Run(name, func(t *testing.T) {
			command, _, stderr := program(t, tc.arguments...)
			command.Env = append(command.Env, podUIDVariable+"=u")
			code, said := exitCodeOf(t, command.Run()), stderr.String()
			if code != planv1.ExitOtherRelease || !strings.Contains(said, tc.want) ||
				!strings.Contains(said, "has to be of the operator's release") {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
	command, _, stderr := program(t, "run", "--hasten")
	if code := exitCodeOf(t, command.Run()); code != 1 || strings.Contains(stderr.String(), "operator") {
		t.Errorf("by hand: exit code %d: %s", code, stderr)
	}
}
