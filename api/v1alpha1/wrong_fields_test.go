package v1alpha1_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// kubernetesTypes are fields whose types are Kubernetes' own: what is in them is for its tests.
var kubernetesTypes = regexp.MustCompile(`[.](affinity|tolerations|topologySpreadConstraints|securityContext|emptyDir|` +
	`resources|metadata)$|[.]volumeClaimTemplate[.]spec$`)

// repeated are fields of types that occur elsewhere: what is said of them there is said here. A deployment is looked
// into below mongodb, the settings of pods below loadGenerator, and a run below the kind of its own.
var repeated = regexp.MustCompile(`^spec[.]target$|[.](mariadb|ferretdb)[.](version|image|databases|resources|storage|` +
	`placement|podSettings|security|memberRestarts|provisioningSeconds|parameters)$|(mongodb|external)[.]podSettings$|` +
	`[.]template[.]spec$|[.](document|element)[.]`)

// wrongFields has an object for each field that the schema of a kind has in its specification, in which the field has a
// value that it cannot have. Fields that may have any are for testdata/wrong.yaml.
func wrongFields(t *testing.T, kind string) []wrongObject {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "config", "crd", "mongobench.dev_benchmark"+kind+"s.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	definition := apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(content, &definition); err != nil {
		t.Fatal(err)
	}
	schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	var all []wrongObject
	eachField("spec", &schema, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		value := wrongValue(schema)
		if value == "" {
			return
		}
		made := object(t, kind, nil)
		onlyMember(made.Object, path)
		plant(t, made.Object, strings.Split(path, "."), value)
		all = append(all, wrongObject{shown: path + ": " + value, path: path, object: made})
	})
	return all
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
	case schema.Pattern != "":
		return `"?"`
	case schema.Type == "string" && schema.MaxLength != nil:
		return strings.Repeat("x", int(min(*schema.MaxLength, 1<<10))+1)
	case schema.Type == "string":
		return "[]"
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

// onlyMember takes the other members of a union from an object, of which a path goes through one.
func onlyMember(object map[string]any, path string) {
	for _, union := range [][]string{{"mongodb", "mariadb", "ferretdb", "external"}} {
		for _, member := range union {
			if strings.Contains(path, "spec."+member) {
				object["spec"] = map[string]any{member: map[string]any{}}
			}
		}
	}
}

var index = regexp.MustCompile(`^(.*)\[0\]$`)

// plant sets one place; maps and lists on the way to it are made.
func plant(t *testing.T, at map[string]any, path []string, text string) {
	t.Helper()
	name, inList := path[0], false
	if parts := index.FindStringSubmatch(name); parts != nil {
		name, inList = parts[1], true
	}
	if len(path) == 1 {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if inList {
			value = []any{value}
		}
		at[name] = value
		return
	}
	below, isMap := at[name].(map[string]any)
	if inList {
		items, _ := at[name].([]any)
		if len(items) == 0 {
			items = []any{map[string]any{}}
		}
		at[name] = items
		below, isMap = items[0].(map[string]any)
	}
	if !isMap {
		below = map[string]any{}
		at[name] = below
	}
	plant(t, below, path[1:], text)
}

// wrongWholes are the objects of testdata/wrong.yaml.
func wrongWholes(t *testing.T, kind string) []wrongObject {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "wrong.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var declared map[string][]map[string]any
	if err := yaml.UnmarshalStrict(content, &declared); err != nil {
		t.Fatal(err)
	}
	var all []wrongObject
	for _, spec := range declared[kind] {
		made := &unstructured.Unstructured{Object: map[string]any{}}
		base := object(t, kind, nil)
		made.SetGroupVersionKind(base.GroupVersionKind())
		made.SetNamespace(base.GetNamespace())
		made.SetName(base.GetName())
		merged := base.Object["spec"].(map[string]any) //nolint:forcetypeassert // It is an object in each base.
		for name, value := range spec {
			if merged[name] = value; value == nil {
				delete(merged, name)
			}
		}
		made.Object["spec"] = merged
		shown, err := yaml.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wrongObject{shown: strings.TrimSpace(string(shown)), object: made})
	}
	return all
}
