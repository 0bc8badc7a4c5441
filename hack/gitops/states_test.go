package gitops

import (
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

const (
	tree   = "../.."
	gitops = tree + "/config/gitops"
)

var update = flag.Bool("update", false, "rewrite what is made from other files")

// kind is a kind of the operator, with the files that its states come from.
type kind struct {
	name   string
	plural string
	base   string
}

var kinds = []kind{
	{"BenchmarkSuite", "benchmarksuites", "suite"},
	{"BenchmarkRun", "benchmarkruns", "run"},
	{"BenchmarkTarget", "benchmarktargets", "target"},
}

// state is an object, and what is made of it.
type state struct {
	Case string `json:"case"`
	// Argocd and Message are its health, and a part of what is said of it; Flux its status.
	Argocd  string `json:"argocd"`
	Message string `json:"message"`
	Flux    string `json:"flux"`
	// CI is how verdict.sh ends; of suites only.
	CI *int `json:"ci,omitempty"`
	// Suspend is the object's spec.suspend, and Status its status.
	Suspend bool           `json:"suspend,omitempty"`
	Status  map[string]any `json:"status,omitempty"`
}

// object is the one of the API's own tests in this state, at generation 2.
func (s state) object(t *testing.T, k kind) map[string]any {
	t.Helper()
	var object map[string]any
	decode(t, filepath.Join(tree, "api/v1alpha1/testdata", k.base+".yaml"), &object)
	part(t, object, "metadata")["generation"] = int64(2)
	if s.Suspend {
		part(t, object, "spec")["suspend"] = true
	}
	if s.Status != nil {
		object["status"] = s.Status
	}
	return object
}

func part(t *testing.T, object map[string]any, name string) map[string]any {
	t.Helper()
	found, ok := object[name].(map[string]any)
	if !ok {
		t.Fatalf("there is no %s in %v", name, object)
	}
	return found
}

// eachState runs a test for each state of each kind.
func eachState(t *testing.T, test func(*testing.T, kind, state)) {
	t.Helper()
	for _, k := range kinds {
		for _, s := range documents[state](t, filepath.Join("testdata", k.base+"s.yaml")) {
			t.Run(k.name+" "+s.Case, func(t *testing.T) { test(t, k, s) })
		}
	}
}

// documents of a YAML file.
func documents[T any](t *testing.T, file string) []T {
	t.Helper()
	content := read(t, file)
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var all []T
	for {
		var one T
		err := decoder.Decode(&one)
		if err == io.EOF { //nolint:errorlint // The decoder returns it as it is.
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, one)
	}
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	if err := yaml.Unmarshal(read(t, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// write writes a generated file when asked to, and returns what it holds.
func write(t *testing.T, file, content string) string {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return string(read(t, file))
}

// TestStatesPassTheSchema keeps the states what an API server would hold.
func TestStatesPassTheSchema(t *testing.T) {
	eachState(t, func(t *testing.T, k kind, s state) {
		t.Helper()
		if faults := schemaOf(t, k).faults(s.object(t, k)); len(faults) > 0 {
			t.Error(strings.Join(faults, "\n"))
		}
	})
}

// TestEveryReasonOfASuiteIsAState reads the reasons from where the API declares them.
func TestEveryReasonOfASuiteIsAState(t *testing.T) {
	missing := map[string]bool{}
	for line := range strings.Lines(string(read(t, tree+"/api/v1alpha1/suite_conditions.go"))) {
		if _, value, found := strings.Cut(line, ` = "`); found {
			missing[strings.TrimSuffix(strings.TrimSpace(value), `"`)] = true
		}
	}
	if len(missing) < 10 {
		t.Fatalf("the API declares only %v", slices.Sorted(maps.Keys(missing)))
	}
	states := string(read(t, "testdata/suites.yaml"))
	for reason := range missing {
		if strings.Contains(states, "type: "+reason+",") || strings.Contains(states, "reason: "+reason+",") {
			delete(missing, reason)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no state of a suite has %v", slices.Sorted(maps.Keys(missing)))
	}
}
