package main

import (
	"strings"
	"testing"
)

const twoObjects = `
apiVersion: v1
kind: Secret
metadata: {name: where, namespace: elsewhere}
---
# Nothing but a comment.
---
apiVersion: mongobench.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: first}
`

func TestParseFindsTheRunAndFillsInTheNamespace(t *testing.T) {
	found, err := parse([]byte(twoObjects), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := found.key().String(); got != "mine/first" {
		t.Errorf("the run is %s, want mine/first", got)
	}
	if len(found.objects) != 2 || found.objects[0].GetNamespace() != "elsewhere" {
		t.Errorf("the objects are %v, want the Secret in its own namespace and the run", found.objects)
	}
}

func TestParseRefuses(t *testing.T) {
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	run := "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	cases := map[string]struct{ content, want string }{
		"a file without a run":               {secret, "there is no BenchmarkRun"},
		"an empty file":                      {"", "there is no BenchmarkRun"},
		"two runs":                           {run + "---\n" + run, "more than one"},
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
