package gitops

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
)

// checker checks objects as the API server does: against the schema, and for fields that it does not know.
type checker struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
}

func schemaOf(t *testing.T, k kind) checker {
	t.Helper()
	var definition apiextensionsv1.CustomResourceDefinition
	decode(t, filepath.Join(tree, "config/crd", "mongobench.dev_"+k.plural+".yaml"), &definition)
	var properties apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema, &properties, nil)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&properties)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&properties)
	if err != nil {
		t.Fatal(err)
	}
	return checker{structural, validator}
}

// faults are what an API server would refuse or drop.
func (c checker) faults(object map[string]any) []string {
	refused := validation.ValidateCustomResource(nil, object, c.validator)
	faults := make([]string, 0, len(refused))
	for _, fault := range refused {
		faults = append(faults, fault.Error())
	}
	unknown := pruning.PruneWithOptions(runtime.DeepCopyJSON(object), c.structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range unknown {
		faults = append(faults, "unknown field "+path)
	}
	return faults
}

func TestFaultsAreSeen(t *testing.T) {
	object := state{}.object(t, kinds[0])
	object["status"] = map[string]any{"revisions": "x", "runs": map[string]any{"planned": "many"}}
	if faults := schemaOf(t, kinds[0]).faults(object); len(faults) < 2 ||
		!slices.Contains(faults, "unknown field status.revisions") {
		t.Errorf("faults are %q", faults)
	}
}

// TestExampleIsAValidSuite checks what the example application holds.
func TestExampleIsAValidSuite(t *testing.T) {
	objects := documents[map[string]any](t, gitops+"/example/nightly.yaml")
	if len(objects) != 1 {
		t.Fatalf("there are %d objects", len(objects))
	}
	if got := fmt.Sprint(objects[0]["kind"]); got != kinds[0].name {
		t.Fatalf("it is a %s", got)
	}
	if faults := schemaOf(t, kinds[0]).faults(objects[0]); len(faults) > 0 {
		t.Error(faults)
	}
}
