package shown

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

var environment testenv.Environment

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &environment)) }

// fragment is what the comment before a part of an object says.
var fragment = regexp.MustCompile(`^fragment of (\S+) at (\S+)$`)

const chartValues = "chart values"

// TestYAML applies what the pages show, each block as its comment says.
func TestYAML(t *testing.T) {
	for _, one := range blocks(t, "yaml") {
		t.Run(one.where(), func(t *testing.T) {
			switch part := fragment.FindStringSubmatch(one.comment); {
			case part != nil:
				apply(t, grafted(t, one.text, part[1], part[2]))
			case one.comment == chartValues:
				helmTemplate(t, one.text)
			default:
				for _, document := range documents(one.text) {
					apply(t, document)
				}
			}
		})
	}
}

// documents of a YAML text.
func documents(text string) []string {
	var found []string
	for document := range strings.SplitSeq("\n"+text, "\n---\n") {
		if strings.TrimSpace(document) != "" {
			found = append(found, document)
		}
	}
	return found
}

// apply has the API server check an object as if it were applied, in strictness: it knows all fields. Kinds that the
// server does not have, of other projects, must be named here.
func apply(t *testing.T, document string) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(document), &object.Object); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	if object.GetKind() == "" {
		t.Fatalf("this is no object; a comment before it says what it is a fragment of (hack/docs/doc.go)\n%s", document)
	}
	if foreign[object.GroupVersionKind().Group] {
		return
	}
	if object.GetName() == "" && object.GetGenerateName() == "" {
		object.SetGenerateName("page-")
	}
	object.SetNamespace("default")
	err := client.WithFieldValidation(environment.Client, "Strict").Create(t.Context(), object, client.DryRunAll)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Errorf("%v in\n%s", err, document)
	}
}

// foreign are the API groups whose definitions are not on the API server of these tests: what is shown of them is
// tested where its own files are (hack/gitops), or run (hack/e2e/neighbours).
var foreign = map[string]bool{
	"argoproj.io": true, "cert-manager.io": true, "kueue.x-k8s.io": true, "kustomize.toolkit.fluxcd.io": true,
	"source.toolkit.fluxcd.io": true,
}

// grafted is a sample with the keys of a fragment in place of its own at a path, such as spec.workload.steps[]: [] is
// the first element of a list.
func grafted(t *testing.T, text, sample, path string) string {
	t.Helper()
	var part any
	if err := yaml.UnmarshalStrict([]byte(text), &part); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var whole any
	if err := yaml.UnmarshalStrict([]byte(documents(read(t, sample))[0]), &whole); err != nil {
		t.Fatal(err)
	}
	whole, err := graft(whole, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), "."), part)
	if err != nil {
		t.Fatalf("%s at %s: %v", sample, path, err)
	}
	encoded, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func graft(whole any, path []string, part any) (any, error) {
	if len(path) == 0 {
		return over(whole, part), nil
	}
	switch at := whole.(type) {
	case map[string]any:
		grown, err := graft(at[path[0]], path[1:], part)
		at[path[0]] = grown
		return at, err
	case []any:
		if path[0] != "[]" || len(at) == 0 {
			return nil, fmt.Errorf("%s is not the first element of a list", path[0])
		}
		grown, err := graft(at[0], path[1:], part)
		at[0] = grown
		return at, err
	case nil:
		return graft(map[string]any{}, path, part)
	default:
		return nil, errors.New("the path leads into a value")
	}
}

// over is a map with the keys of another in place of its own, or whatever else the part is.
func over(whole, part any) any {
	under, isMap := whole.(map[string]any)
	keys, haveKeys := part.(map[string]any)
	if !isMap || !haveKeys {
		return part
	}
	maps.Copy(under, keys)
	return under
}

func TestGraft(t *testing.T) {
	whole := map[string]any{"a": []any{map[string]any{"b": 1, "c": 2}}, "d": 3}
	got, err := graft(whole, []string{"a", "[]"}, map[string]any{"b": 4})
	if want := "map[a:[map[b:4 c:2]] d:3]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}

// helmTemplate renders the chart with values, which its schema checks.
func helmTemplate(t *testing.T, values string) {
	t.Helper()
	chart := filepath.Join(root, "charts", "mongobench-operator")
	command := exec.CommandContext(t.Context(), helm(t), "template", "mongobench", chart,
		"--namespace", "mongobench-system", "--values", "-")
	command.Stdin = strings.NewReader(values)
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Run(); err != nil {
		t.Errorf("helm: %v: %s with\n%s", err, said.String(), values)
	}
}

// helm is the path of the pinned one.
func helm(t *testing.T) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "tools", "tool.sh"), "helm").Output()
	if err != nil {
		t.Fatalf("finding helm: %v", err)
	}
	path, err := filepath.Abs(strings.TrimSpace(string(said)))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
