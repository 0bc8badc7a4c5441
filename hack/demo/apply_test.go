package main

import (
	"slices"
	"strings"
	"testing"
)

const threeObjects = `
apiVersion: v1
kind: Secret
metadata: {name: where, namespace: elsewhere}
---
# Nothing but a comment.
---
apiVersion: mongobench.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: first}
---
apiVersion: mongobench.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: second}
`

func TestParseFindsTheRunsAndFillsInTheNamespace(t *testing.T) {
	found, err := parse([]byte(threeObjects), "mine")
	if err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 0, len(found.runs))
	for _, run := range found.runs {
		keys = append(keys, keyOf(run).String())
	}
	if want := []string{"mine/first", "mine/second"}; !slices.Equal(keys, want) {
		t.Errorf("the runs are %v, want %v", keys, want)
	}
	if len(found.others) != 1 || found.others[0].GetNamespace() != "elsewhere" {
		t.Errorf("the others are %v, want the Secret in its own namespace", found.others)
	}
}

func TestParseRefuses(t *testing.T) {
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	run := "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	suite := strings.Replace(run, "BenchmarkRun", "BenchmarkSuite", 1)
	cases := map[string]struct{ content, want string }{
		"a file without a run":               {secret, "there is no BenchmarkRun"},
		"an empty file":                      {"", "there is no BenchmarkRun"},
		"two suites of one name":             {suite + "---\n" + suite, "more than one BenchmarkSuite a"},
		"two runs of one name":               {run + "---\n" + run, "more than one BenchmarkRun a"},
		"an object without a name":           {"apiVersion: v1\nkind: Secret\n", "metadata.name"},
		"a run of another version":           {strings.Replace(run, "v1alpha1", "v9", 1), "there is no BenchmarkRun"},
		"text that is not YAML":              {"a: b: c", "reading YAML"},
		"a document that is no object":       {"- a\n- b\n", "reading YAML"},
		"a mapping that is no object at all": {"a: b\n", "apiVersion"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]byte(tc.content), "mine")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error that says %q", err, tc.want)
			}
		})
	}
}

func TestKeepLeavesOneName(t *testing.T) {
	found, err := parse([]byte(threeObjects+"---\napiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkSuite\n"+
		"metadata: {name: third}\n"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if len(found.suites) != 1 || len(found.measured()) != 3 {
		t.Fatalf("there are %d suites among %d, want 1 among 3", len(found.suites), len(found.measured()))
	}
	if err := found.keep("third"); err != nil || len(found.measured()) != 1 || found.suites[0].GetName() != "third" {
		t.Errorf("error %v, %d are left, want third alone", err, len(found.measured()))
	}
	if err := found.keep("fourth"); err == nil || !strings.Contains(err.Error(), "named fourth") {
		t.Errorf("got %v, want an error that names what is missing", err)
	}
}
