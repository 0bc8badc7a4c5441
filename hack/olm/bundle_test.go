package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/api/pkg/manifests"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/api/pkg/validation"
	validator "github.com/operator-framework/api/pkg/validation/interfaces"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	root  = "../../"
	chart = root + "charts/mongobench-operator"
)

// helmPath builds the pinned Helm, if this machine does not have it.
func helmPath() (string, error) {
	path, err := exec.Command(root+"hack/tools/tool.sh", "helm").Output() //nolint:noctx // A build may take minutes.
	return strings.TrimSpace(string(path)), err
}

// bundle is made of the chart once, and read.
var bundle = sync.OnceValues(func() (*manifests.Bundle, error) {
	out, err := os.MkdirTemp("", "bundle")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	helm, err := helmPath()
	if err == nil {
		err = run(chart, helm, chart+"/icon.svg", out)
	}
	if err != nil {
		return nil, err
	}
	return load(out)
})

func made(t *testing.T) *manifests.Bundle {
	t.Helper()
	made, err := bundle()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// load reads a bundle. OLM's own loader reads nothing of it with the Kubernetes libraries of these days: it expects a
// decoder to begin again at the end of a file.
func load(folder string) (*manifests.Bundle, error) {
	read := &manifests.Bundle{
		Name: packageName, Package: packageName, Channels: []string{channel}, DefaultChannel: channel,
	}
	files, err := filepath.Glob(folder + "/manifests/*.yaml")
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	archive := gzip.NewWriter(&compressed)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := archive.Write(text); err != nil {
			return nil, err
		}
		read.Size += int64(len(text))
		if err := add(read, text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	err = archive.Close()
	read.CompressedSize = int64(compressed.Len())
	return read, err
}

func add(to *manifests.Bundle, text []byte) error {
	read := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(text, &read.Object); err != nil {
		return err
	}
	to.Objects = append(to.Objects, read)
	switch read.GetKind() {
	case "ClusterServiceVersion":
		to.CSV = &operatorsv1alpha1.ClusterServiceVersion{}
		return yaml.UnmarshalStrict(text, to.CSV)
	case "CustomResourceDefinition":
		definition := &apiextensionsv1.CustomResourceDefinition{}
		to.V1CRDs = append(to.V1CRDs, definition)
		return yaml.UnmarshalStrict(text, definition)
	}
	return nil
}

// validators are all of OLM's, those of OperatorHub included, but for one that pulls the images.
var validators = slices.DeleteFunc(slices.Clone(validation.AllValidators), func(v validator.Validator) bool {
	return reflect.ValueOf(v).Pointer() == reflect.ValueOf(validation.MultipleArchitecturesValidator).Pointer()
})

func TestBundleIsValid(t *testing.T) {
	if len(validators) != len(validation.AllValidators)-1 {
		t.Errorf("%d of %d validators are asked", len(validators), len(validation.AllValidators))
	}
	for _, result := range validators.Validate(made(t).ObjectsToValidate()...) {
		for _, err := range result.Errors {
			t.Error(err)
		}
		for _, warning := range result.Warnings {
			// Events of the core group, in which leaders are announced, are taken for those of a group's old version.
			if !strings.Contains(warning.Detail, "removed in v1.25") || !strings.Contains(warning.Detail, "events: ([") {
				t.Error(warning)
			}
		}
	}
}

func TestBundleHasWhatTheChartMakes(t *testing.T) {
	bundle := made(t)
	names := make([]string, 0, len(bundle.Objects))
	for _, one := range bundle.Objects {
		names = append(names, one.GetKind()+"/"+one.GetName())
		if one.GetNamespace() != "" {
			t.Errorf("%s is for the namespace %s", one.GetName(), one.GetNamespace())
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{
		"ClusterRole/mongobench-operator-edit",
		"ClusterRole/mongobench-operator-scraper",
		"ClusterRole/mongobench-operator-view",
		"ClusterServiceVersion/mongobench-operator.v" + bundle.CSV.Spec.Version.String(),
		"CustomResourceDefinition/benchmarkruns.mongobench.dev",
		"CustomResourceDefinition/benchmarksuites.mongobench.dev",
		"CustomResourceDefinition/benchmarktargets.mongobench.dev",
		"Service/mongobench-operator-metrics",
	}, names); diff != "" {
		t.Errorf("objects (-expected +present):\n%s", diff)
	}
}

// rulesOf counts the rules of a role that make generate wrote of the same chart.
func rulesOf(t *testing.T, kind, name string) int {
	t.Helper()
	text, err := os.ReadFile(root + "config/rbac/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var role struct {
			Kind     string
			Metadata struct{ Name string }
			Rules    []any
		}
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind == kind && role.Metadata.Name == name {
			return len(role.Rules)
		}
	}
	t.Fatalf("config/rbac has no %s %s", kind, name)
	return 0
}

func TestBundleMayWhatTheChartMay(t *testing.T) {
	const name = "mongobench-operator"
	strategy := made(t).CSV.Spec.InstallStrategy.StrategySpec
	if got, want := len(strategy.Permissions[0].Rules), rulesOf(t, "Role", name+"-leader-election"); got != want {
		t.Errorf("%d rules in its namespace, want %d", got, want)
	}
	want := rulesOf(t, "ClusterRole", name) + rulesOf(t, "ClusterRole", name+"-metrics")
	if got := len(strategy.ClusterPermissions[0].Rules); got != want {
		t.Errorf("%d rules everywhere, want %d", got, want)
	}
}

func TestBundleIsForAnyNamespaceAndWithoutHelm(t *testing.T) {
	strategy := made(t).CSV.Spec.InstallStrategy.StrategySpec
	container := strategy.DeploymentSpecs[0].Spec.Template.Spec.Containers[0]
	text := fmt.Sprint(strategy, made(t).Objects)
	for _, word := range []string{namespace, "Helm", "helm.sh"} {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("it has %s: ...%s", word, text[max(0, at-100):at+len(word)])
		}
	}
	if want := "--installation=$(POD_NAMESPACE)/mongobench-operator"; !slices.Contains(container.Args, want) {
		t.Errorf("its arguments have no %s: %v", want, container.Args)
	}
}

// TestExamplesAreSamples holds the examples of Chart.yaml to files that are tested by what they do.
func TestExamplesAreSamples(t *testing.T) {
	helm, err := helmPath()
	if err != nil {
		t.Fatal(err)
	}
	read, err := readChart(helm, chart)
	if err != nil {
		t.Fatal(err)
	}
	var samples []object
	for _, name := range []string{"tasks/first.yaml", "external.yaml", "tasks/index-or-not.yaml"} {
		text, err := os.ReadFile(root + "config/samples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
			var sample object
			if err := yaml.Unmarshal(document, &sample); err != nil {
				t.Fatal(err)
			}
			samples = append(samples, sample)
		}
	}
	for _, example := range read.examples {
		if !slices.ContainsFunc(samples, func(sample object) bool { return cmp.Equal(sample, example) }) {
			t.Errorf("the example %v is not as in config/samples", example["metadata"])
		}
	}
	if len(read.examples) != len(read.kinds) {
		t.Errorf("%d examples of %d kinds", len(read.examples), len(read.kinds))
	}
}
