package crd_test

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/config/crd"
)

// version is one served version of a definition.
type version struct {
	// name is KIND/VERSION.
	name   string
	schema *apiextensions.JSONSchemaProps
}

// versions reads all definitions.
func versions(t *testing.T) []version {
	t.Helper()
	all := make([]version, 0, len(crd.Names()))
	for _, name := range crd.Names() {
		var declared apiextensionsv1.CustomResourceDefinition
		content, _ := crd.Read(name)
		if err := yaml.UnmarshalStrict(content, &declared); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, served := range declared.Spec.Versions {
			internal := &apiextensions.JSONSchemaProps{}
			err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
				served.Schema.OpenAPIV3Schema, internal, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, version{declared.Spec.Names.Kind + "/" + served.Name, internal})
		}
	}
	if len(all) == 0 {
		t.Fatal("there are no definitions")
	}
	return all
}

// walk visits a schema and all below it in alphabetical order, with their paths, such as "spec.steps[].name".
func walk(path string, schema *apiextensions.JSONSchemaProps, visit func(string, *apiextensions.JSONSchemaProps)) {
	visit(path, schema)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		below := name
		if path != "" {
			below = path + "." + name
		}
		walk(below, &property, visit)
	}
	if schema.Items != nil {
		walk(path+"[]", schema.Items.Schema, visit)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		walk(path+"{}", schema.AdditionalProperties.Schema, visit)
	}
}
