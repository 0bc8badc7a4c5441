package v1alpha1_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// kubernetesTypes are fields whose types are Kubernetes' own: what is in them is for its tests.
var kubernetesTypes = regexp.MustCompile(`[.](affinity|tolerations|topologySpreadConstraints|securityContext|` +
	`emptyDir|resources|metadata)$|[.]volumeClaimTemplate[.]spec$`)

// repeated are fields of types that occur elsewhere: what is said of them there is said here. A deployment is looked
// into below mongodb, the settings of pods below loadGenerator, a run below the kind of its own, the load of a group
// below its step, and an index and its collation below those of a collection.
var repeated = regexp.MustCompile(`^spec[.]target$|[.](mariadb|ferretdb)[.](version|image|databases|resources|` +
	`storage|placement|podSettings|security|memberRestarts|provisioningSeconds|parameters)$|` +
	`(mongodb|external)[.]podSettings$|[.]template[.]spec$|[.](document|element)[.]|` +
	`groups\[0\][.](arrival|thinkTime)$|operations\[0\][.]thinkTime$|` +
	`[.]actions\[0\][.]index$|options[.]collation$`)

// specOf is the schema of a kind's specification.
func specOf(t *testing.T, kind string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "config", "crd", "mongobench.dev_benchmark"+kind+"s.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	definition := apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(content, &definition); err != nil {
		t.Fatal(err)
	}
	spec := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	return &spec
}

// wrongFields has an object for each field that a kind has in its specification, in which the field has a value that
// the schema does not allow, and nothing else is wrong. Fields that may have any value are for testdata/wrong.yaml.
func wrongFields(t *testing.T, kind string) []wrongObject {
	t.Helper()
	around := readAround(t)
	var all []wrongObject
	eachField("spec", specOf(t, kind), func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		if value := wrongValue(schema); value != "" {
			made := object(t, kind, nil)
			plant(t, made.Object, path, value, around)
			all = append(all, wrongObject{path: path, shown: shortened(value), alone: true, object: made})
		}
	})
	return all
}

// wantEachField wants that something was said of each field, or of what is in it.
func wantEachField(t *testing.T, kind string, hit []string) {
	t.Helper()
	eachField("spec", specOf(t, kind), func(path string, _ *apiextensionsv1.JSONSchemaProps) {
		within := func(place string) bool {
			rest, is := strings.CutPrefix(place, path)
			return is && (rest == "" || strings.ContainsAny(rest[:1], ".["))
		}
		if !slices.ContainsFunc(hit, within) {
			t.Errorf("%s: %s is wrong in no object", kindNames[kind], path)
		}
	})
}

// eachField calls a function for each field in alphabetical order. Items of lists are [0].
func eachField(
	path string, schema *apiextensionsv1.JSONSchemaProps, visit func(string, *apiextensionsv1.JSONSchemaProps),
) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		field, below := schema.Properties[name], path+"."+name
		visit(below, &field)
		if kubernetesTypes.MatchString(below) || repeated.MatchString(below) {
			continue
		}
		if field.Items != nil && field.Items.Schema != nil {
			if below += "[0]"; field.Items.Schema.Properties == nil {
				visit(below, field.Items.Schema)
			}
			field = *field.Items.Schema
		}
		eachField(below, &field, visit)
	}
}

// wrongValue is YAML that a schema does not allow; empty where it allows anything.
func wrongValue(schema *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case schema.XIntOrString:
		return "much"
	case len(schema.Enum) > 0 || len(schema.AllOf) > 0:
		return "Nonsense"
	case schema.Type == "string":
		return wrongText(schema)
	case schema.Maximum != nil:
		return fmt.Sprintf("%.0f", *schema.Maximum+1)
	case schema.Minimum != nil:
		return fmt.Sprintf("%.0f", *schema.Minimum-1)
	case schema.Type == "integer":
		return "many"
	case schema.Type == "boolean":
		return "perhaps"
	case schema.Type == "object" || schema.Type == "array":
		return "something"
	default:
		return ""
	}
}

// wrongText is a text that a schema does not allow, or no text where it allows any.
func wrongText(schema *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case schema.Pattern != "" && regexp.MustCompile(schema.Pattern).MatchString("$"):
		return strconv.Quote("../$") // A path may have such names, but not lead out.
	case schema.Pattern != "":
		return strconv.Quote(strings.Repeat("$", int(max(ptr.Deref(schema.MinLength, 1), 1))))
	case schema.MaxLength != nil:
		return strings.Repeat("x", int(min(*schema.MaxLength, 1<<10))+1)
	case schema.Format == "date-time":
		return "yesterday"
	default:
		return "5"
	}
}

// shortened is a text of which people want to know how long it is.
func shortened(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s... (%d characters)", text[:10], len(text))
}

// readAround reads testdata/wrong_around.yaml.
func readAround(t *testing.T) map[string]map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "wrong_around.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var around map[string]map[string]any
	if err := yaml.UnmarshalStrict(content, &around); err != nil {
		t.Fatal(err)
	}
	return around
}

// surround gives an object what it has beside one of its fields, if that is said for the field or for all of them.
func surround(object map[string]any, path, field string, around map[string]map[string]any) {
	for _, name := range []string{field, "*"} {
		longest := ""
		for key := range around {
			if whole := path + "." + name; whole == key || strings.HasSuffix(whole, "."+key) && len(key) > len(longest) {
				longest = key
			}
		}
		if longest != "" {
			clear(object)
			maps.Copy(object, runtime.DeepCopyJSON(around[longest]))
			return
		}
	}
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// plant sets one place, in the objects that it lies in; those that are not there are made.
func plant(t *testing.T, root map[string]any, path, text string, around map[string]map[string]any) {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	at, names := root, strings.Split(path, ".")
	for i, part := range names {
		name, inList := strings.CutSuffix(part, "[0]")
		surround(at, strings.Join(names[:i], "."), name, around)
		switch last := i == len(names)-1; {
		case last && inList:
			at[name] = []any{value}
		case last:
			at[name] = value
		case inList:
			at = firstOf(at, name)
		default:
			at = below(at, name)
		}
	}
}

// below is the object in a field.
func below(at map[string]any, name string) map[string]any {
	object, is := at[name].(map[string]any)
	if !is {
		object = map[string]any{}
		at[name] = object
	}
	return object
}

// firstOf is the first object of a list in a field.
func firstOf(at map[string]any, name string) map[string]any {
	if items, _ := at[name].([]any); len(items) > 0 {
		if object, is := items[0].(map[string]any); is {
			return object
		}
	}
	object := map[string]any{}
	at[name] = []any{object}
	return object
}

// wrongValues are those of testdata/wrong.yaml, in its order and as they are written there.
func wrongValues(t *testing.T, kind string) []wrongObject {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "wrong.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	around := readAround(t)
	var all []wrongObject
	of, path := "", ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\n")
		if text, is := strings.CutPrefix(line, "  - "); !is {
			of, path, _ = strings.Cut(strings.TrimSuffix(line, ":"), " ")
		} else if of == kind {
			made := object(t, kind, nil)
			if path == "spec" {
				differ(t, made, text)
			} else {
				plant(t, made.Object, path, text, around)
			}
			all = append(all, wrongObject{path: path, shown: text, object: made})
		}
	}
	return all
}

// differ gives an object other fields in its specification. One that is null is taken away.
func differ(t *testing.T, made *unstructured.Unstructured, text string) {
	t.Helper()
	var differing map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &differing); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	spec := below(made.Object, "spec")
	for name, value := range differing {
		if spec[name] = value; value == nil {
			delete(spec, name)
		}
	}
}
