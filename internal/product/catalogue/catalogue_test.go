package catalogue_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

const root = "../../../"

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// schemaOf is the schema of a kind's spec.
func schemaOf(t *testing.T, kinds string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(read(t, "config/crd/mongobench.dev_"+kinds+".yaml")), &definition); err != nil {
		t.Fatal(err)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

func valuesOf(t *testing.T, field apiextensionsv1.JSONSchemaProps) []string {
	t.Helper()
	values := make([]string, 0, len(field.Enum))
	for _, value := range field.Enum {
		values = append(values, strings.Trim(string(value.Raw), `"`))
	}
	slices.Sort(values)
	return values
}

func TestTheSchemaHasTheProductsAndTheirClients(t *testing.T) {
	products := catalogue.All()
	members, clients := make([]string, 0, len(products)), make([]string, 0, len(products))
	for _, product := range products {
		members = append(members, strings.ToLower(string(product.Traits().Product)))
		for _, client := range product.Traits().Clients {
			clients = append(clients, string(client))
		}
	}
	members = append(members, "external")
	slices.Sort(members)
	slices.Sort(clients)
	want := slices.Sorted(maps.Keys(schemaOf(t, "benchmarktargets").Properties))
	if !slices.Equal(members, want) {
		t.Errorf("a target may be one of %s by the products, and of %s by the schema", members, want)
	}
	generator := schemaOf(t, "benchmarkruns").Properties["loadGenerator"]
	want = valuesOf(t, generator.Properties["client"])
	if clients = slices.Compact(clients); !slices.Equal(clients, want) {
		t.Errorf("the clients of the products are %s, and spec.loadGenerator.client may be %s", clients, want)
	}
}

func TestEveryProductIsToldOf(t *testing.T) {
	external := schemaOf(t, "benchmarktargets").Properties["external"]
	texts := map[string]string{
		"docs/how-to/other-databases.md": read(t, "docs/how-to/other-databases.md"),
		"external.product":               external.Properties["product"].Description,
	}
	var samples strings.Builder
	files, err := filepath.Glob(root + "config/samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		samples.Write(content)
	}
	for _, product := range catalogue.All() {
		name := string(product.Traits().Product)
		for where, text := range texts {
			if !strings.Contains(text, name) {
				t.Errorf("%s does not name %s", where, name)
			}
		}
		if !strings.Contains(samples.String(), " "+strings.ToLower(name)+":") {
			t.Errorf("no sample has a target that is a %s", name)
		}
	}
}

func TestEachMemberHasOneProductAndOneProgram(t *testing.T) {
	seen := map[string]bool{}
	for _, product := range catalogue.All() {
		traits := product.Traits()
		spec := benchv1alpha1.BenchmarkTargetSpec{External: &benchv1alpha1.ExternalTarget{Product: &traits.Product}}
		if found := catalogue.Of(spec).Traits().Product; found != traits.Product {
			t.Errorf("an existing %s is the product %s", traits.Product, found)
		}
		declared := fmt.Sprintf(`{"%s": {}}`, strings.ToLower(string(traits.Product)))
		deployed := benchv1alpha1.BenchmarkTargetSpec{}
		if err := json.Unmarshal([]byte(declared), &deployed); err != nil {
			t.Fatal(err)
		}
		if found := catalogue.Of(deployed).Traits().Product; found != traits.Product {
			t.Errorf("%s is the product %s, want %s", declared, found, traits.Product)
		}
		if seen[traits.Program] {
			t.Errorf("two products have the program %s", traits.Program)
		}
		seen[traits.Program] = true
	}
}
