package gitops

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const verdict = gitops + "/ci/verdict.sh"

// kubectl answers what verdict.sh asks from files of its folder: TYPE.FIELD for a condition, generation for that.
const kubectl = `#!/bin/sh
folder=$(dirname "$0")
for last; do :; done
case "$*" in
*" wait benchmarksuite/nightly --for=condition=Complete "*)
	[ "$(cat "$folder/Complete.status")" = True ] &&
		[ "$(cat "$folder/Complete.observedGeneration")" = "$(cat "$folder/generation")" ] ;;
*jsonpath={.metadata.generation}) cat "$folder/generation" ;;
*'jsonpath={.status.conditions[?(@.type=="'*) name=${last#*==\"}
	cat "$folder/${name%%\"*}.$(echo "${last##*.}" | tr -d '}')" 2>/dev/null || : ;;
*) echo "not known: $*" >&2; exit 64 ;;
esac
`

func TestVerdictEndsAsThePipelineShould(t *testing.T) {
	eachState(t, func(t *testing.T, k kind, s state) {
		t.Helper()
		if s.CI == nil {
			if k.base == "suite" {
				t.Error("it is not said how verdict.sh ends")
			}
			return
		}
		folder := cluster(t, s)
		if got, said := runVerdict(t, folder); got != *s.CI {
			t.Errorf("verdict.sh ends with %d, want %d:\n%s", got, *s.CI, said)
		}
		unknown := strings.Contains(s.Message, "no verdict")
		if got, said := runVerdict(t, folder, "FAIL_ON_UNKNOWN=true"); unknown && got != 3 || !unknown && got != *s.CI {
			t.Errorf("verdict.sh ends with %d where an unknown verdict fails:\n%s", got, said)
		}
	})
}

// cluster is a folder with a kubectl that tells of a suite in a state.
func cluster(t *testing.T, s state) string {
	t.Helper()
	folder := t.TempDir()
	put := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("generation", "2")
	put("Complete.status", "")
	put("Complete.observedGeneration", "")
	conditions, _ := s.Status["conditions"].([]any)
	for _, one := range conditions {
		condition, ok := one.(map[string]any)
		if !ok {
			t.Fatalf("%v is no condition", one)
		}
		for field, value := range condition {
			put(fmt.Sprintf("%s.%s", condition["type"], field), fmt.Sprint(value))
		}
	}
	put("kubectl", kubectl)
	if err := os.Chmod(filepath.Join(folder, "kubectl"), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func runVerdict(t *testing.T, folder string, environment ...string) (code int, said string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", verdict)
	command.Env = slices.Concat(environment, []string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "SUITE=nightly", "NAMESPACE=benchmarks", "TIMEOUT_SECONDS=0",
	})
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(output)
}

// TestPipelinesHoldTheVerdict compares the script that each example holds with verdict.sh.
func TestPipelinesHoldTheVerdict(t *testing.T) {
	const begin, end = "# begin verdict.sh\n", "# end verdict.sh\n"
	for _, name := range []string{"github-actions.yaml", "tekton-task.yaml", "argo-workflow.yaml"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(gitops, "ci", name)
			content := string(read(t, file))
			head, rest, begun := strings.Cut(content, begin)
			_, tail, ended := strings.Cut(rest, end)
			if !begun || !ended {
				t.Fatalf("there is no place for verdict.sh between %q and %q", begin, end)
			}
			indent := head[strings.LastIndexByte(head, '\n')+1:]
			var body strings.Builder
			for line := range strings.Lines(string(read(t, verdict))) {
				if line != "\n" {
					body.WriteString(indent)
				}
				body.WriteString(line)
			}
			want := head + begin + body.String() + indent + end + tail
			if diff := cmp.Diff(want, write(t, file, want)); diff != "" {
				t.Errorf("the script differs; go test -update rewrites it (-want +got):\n%s", diff)
			}
			var parsed map[string]any
			decode(t, file, &parsed)
		})
	}
}
