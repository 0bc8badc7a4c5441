package crd_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/utils/ptr"
)

// withoutKey are the lists of a specification that are replaced as a whole, by what their paths end in, with the
// reason. All others are maps with a key, or sets: with these two owners of an object may each add their own items, and
// a change says which item it is about.
var withoutKey = map[string]string{
	"arrival.stages":                       "their order is their meaning, and two may be alike",
	"arrival.gapsMicros":                   "their order is their meaning, and two may be alike",
	"steps[].abortOn":                      "nothing refers to one, and each of its fields may be unset",
	"steps[].objectives":                   "nothing refers to one, and several may be of the same operation",
	"collections[].indexes":                "MongoDB names an index without a name by its keys, which are a list",
	"sharding.splitPoints":                 "in ascending order",
	"groups[].threadStages":                "they follow one another, and two may be alike",
	"growth.sizes":                         "in ascending order",
	"matrix.exclude":                       "an item is a set of choices, which no single field identifies",
	"[].jsonPatch":                         "RFC 6902: one patch after another, and two may be alike",
	"baseline.figures":                     "an item is about a step and operation, which may both be unset",
	"spec.thresholds":                      "an item is about a step and operation, which may both be unset",
	"search.constraints":                   "an item is about a step and operation, which may both be unset",
	"duet.thresholds":                      "an item is about a step and operation, which may both be unset",
	"spec.acknowledged":                    "an item is about a variant, step and operation, which may all be unset",
	"[].operations[].next":                 "two ways may lead to the end, which has no name",
	"[].operations[].operations":           "they are executed in order, and two may be alike",
	"mongodb.arguments":                    "the command line of a program",
	"volumeClaimTemplate.spec.accessModes": "as Kubernetes has them in a claim",
	"podSettings.tolerations":              "as Kubernetes has them in a pod",
	"nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution":                  "as Kubernetes has them in a pod",
	"nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms": "as Kubernetes has them in a pod",
	".matchExpressions":          "as Kubernetes has them in a pod",
	".matchExpressions[].values": "as Kubernetes has them in a pod",
	".matchFields":               "as Kubernetes has them in a pod",
	".matchFields[].values":      "as Kubernetes has them in a pod",
	".matchLabelKeys":            "as Kubernetes has them in a pod",
}

// specification matches the paths of what users write.
var specification = regexp.MustCompile(`^spec\b`)

// exception is which one a list is, or none.
func exception(path string) string {
	for ending := range withoutKey {
		if strings.HasSuffix(path, ending) {
			return ending
		}
	}
	return ""
}

// TestLists has each list of a specification a map or set, or listed above.
func TestLists(t *testing.T) {
	unused := maps.Clone(withoutKey)
	for _, v := range versions(t) {
		walk("", v.schema, func(path string, schema *apiextensions.JSONSchemaProps) {
			if schema.Type != "array" || !specification.MatchString(path) {
				return
			}
			// A target is the same by itself and within a run.
			if strings.HasPrefix(v.name, "BenchmarkTarget/") {
				path = strings.Replace(path, "spec", "spec.target", 1)
			}
			ending, want := exception(path), "set"
			delete(unused, ending)
			switch {
			case ending != "":
				want = "atomic"
			case schema.Items.Schema.Type == "object":
				want = "map"
			}
			if kind := ptr.Deref(schema.XListType, "atomic"); kind != want {
				t.Errorf("%s: %s is %s, want %s: give its items a key, or say above why they have none",
					v.name, path, kind, want)
			}
		})
	}
	for ending := range unused {
		t.Errorf("%s: no list is called so any more", ending)
	}
}
