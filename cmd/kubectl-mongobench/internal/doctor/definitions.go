package doctor

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/crd"
)

const (
	applyDefinitions = "kubectl apply --server-side -f config/crd (Helm installs definitions and never updates them)"
	// fieldsNamed is how many fields a finding names at most.
	fieldsNamed = 3
)

// definitions wants the kinds to be those that this program was built with.
func definitions(o Observation) []Finding {
	findings := make([]Finding, 0, len(o.Definitions))
	for i, name := range crd.Names() {
		if i < len(o.Definitions) && i < len(o.Served) {
			findings = append(findings, definition(name, o.Definitions[i], o.Served[i]))
		}
	}
	return findings
}

func definition(name string, found Read[unstructured.Unstructured], served bool) Finding {
	check := "kind " + name
	switch {
	case apierrors.IsNotFound(found.Err):
		return fail(check, applyDefinitions, "it is not installed")
	case found.Err != nil && !served:
		return fail(check, applyDefinitions, "version %s is not served", benchv1alpha1.GroupVersion.Version)
	case apierrors.IsForbidden(found.Err):
		return warn(check, "ask for the right to get customresourcedefinitions, or ask someone who has it to check",
			"it is served; unknown: this user may not see whether it is of this version")
	case found.Err != nil:
		return unseen(check, "its definition", found.Err)
	}
	there, reason := schemaOf(found.Value.Object)
	if reason != "" {
		return fail(check, applyDefinitions, "%s", reason)
	}
	return compared(check, built()[name], there)
}

// built are the schemas that this program was built with, by the names of their definitions.
var built = sync.OnceValue(func() map[string]map[string]any {
	schemas := map[string]map[string]any{}
	for _, name := range crd.Names() {
		content, _ := crd.Read(name)
		definition := &unstructured.Unstructured{}
		// What was compiled in can be read.
		if encoded, err := yaml.YAMLToJSON(content); err == nil {
			_ = definition.UnmarshalJSON(encoded)
		}
		schemas[name], _ = schemaOf(definition.Object)
	}
	return schemas
})

// schemaOf is the schema of our version in a definition, or why there is none.
func schemaOf(definition map[string]any) (map[string]any, string) {
	version := benchv1alpha1.GroupVersion.Version
	versions, _, _ := unstructured.NestedSlice(definition, "spec", "versions")
	for _, entry := range versions {
		declared, _ := entry.(map[string]any)
		if declared["name"] != version {
			continue
		}
		if declared["served"] != true {
			return nil, "version " + version + " is not served"
		}
		schema, _, _ := unstructured.NestedMap(declared, "schema", "openAPIV3Schema")
		return schema, ""
	}
	return nil, "it has no version " + version
}

// compared tells a definition that lacks fields, so that files with them are refused, from one that has more.
func compared(check string, ours, there map[string]any) Finding {
	lacks, more := map[string]bool{}, map[string]bool{}
	fields(ours, "", lacks)
	fields(there, "", more)
	for field := range maps.Clone(lacks) {
		if more[field] {
			delete(lacks, field)
			delete(more, field)
		}
	}
	switch {
	case len(lacks) > 0:
		return fail(check, applyDefinitions, "it is of another version: it lacks %s", some(lacks))
	case len(more) > 0:
		return warn(check, "take the kubectl-mongobench of that version",
			"it is newer than this program: it has %s as well", some(more))
	case !reflect.DeepEqual(ours, there):
		return warn(check, applyDefinitions, "it has the fields of this version, with other rules")
	default:
		return ok(check, "it is of this version")
	}
}

// fields collects the paths of all fields of a schema.
func fields(schema map[string]any, path string, into map[string]bool) {
	properties, _ := schema["properties"].(map[string]any)
	for name, entry := range properties {
		if nested, isSchema := entry.(map[string]any); isSchema {
			at := strings.TrimPrefix(path+"."+name, ".")
			into[at] = true
			fields(nested, at, into)
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if nested, isSchema := schema[inner].(map[string]any); isSchema {
			fields(nested, path+"[]", into)
		}
	}
}

// some names the first of some fields: those above the others say most.
func some(paths map[string]bool) string {
	sorted := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		if depths := strings.Count(a, ".") - strings.Count(b, "."); depths != 0 {
			return depths
		}
		return strings.Compare(a, b)
	})
	if len(sorted) <= fieldsNamed {
		return strings.Join(sorted, ", ")
	}
	return fmt.Sprintf("%s and %d more fields", strings.Join(sorted[:fieldsNamed], ", "), len(sorted)-fieldsNamed)
}
