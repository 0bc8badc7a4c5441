package v1alpha1_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/price"
	runspec "github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// cpuBudgetMillis is what a sample may use, target and load pods together: a node of two cores has room for it.
const cpuBudgetMillis = 1700

// forManyCores are the samples that are not for a laptop.
var forManyCores = []string{"own-nodes"}

// samples are the documents of config/samples, and of the folders there that are handed out, by file.
func samples(t *testing.T) map[string][][]byte {
	t.Helper()
	found := documents(t, "*.yaml")
	for _, folder := range []string{"tasks", "tools", "workloads"} {
		maps.Copy(found, documents(t, filepath.Join(folder, "*.yaml")))
	}
	return found
}

// studies are those of the studies in the size of the articles, which no node of two cores has room for.
func studies(t *testing.T) map[string][][]byte {
	t.Helper()
	found := documents(t, filepath.Join("studies", "*.yaml"))
	delete(found, "kustomization.yaml")
	return found
}

// documents are those of the files in config/samples that a pattern selects, by file.
func documents(t *testing.T, pattern string) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("finding %s: %d files, error %v", pattern, len(files), err)
	}
	found := map[string][][]byte{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(file)] = bytes.Split(content, []byte("\n---\n"))
	}
	return found
}

func kindOf(t *testing.T, document []byte) string {
	t.Helper()
	var header struct {
		Kind string `json:"kind"`
	}
	if err := yaml.Unmarshal(document, &header); err != nil {
		t.Fatal(err)
	}
	return header.Kind
}

func decode(t *testing.T, document []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(document, into); err != nil {
		t.Fatal(err)
	}
}

func TestSamplesAreAcceptedByTheServer(t *testing.T) {
	for folder, files := range map[string]map[string][][]byte{"samples": samples(t), "studies": studies(t)} {
		for file, documents := range files {
			t.Run(folder+"/"+file, func(t *testing.T) {
				for _, document := range documents {
					made := &unstructured.Unstructured{}
					decode(t, document, &made.Object)
					made.SetNamespace("default")
					if err := create(t, made); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func TestSamplesAreValid(t *testing.T) {
	for file, documents := range samples(t) {
		t.Run(file, func(t *testing.T) {
			for _, document := range documents {
				if errs := problems(t, document); len(errs) > 0 {
					t.Error(errs.ToAggregate())
				}
			}
		})
	}
}

// problems checks one document of a sample as the operator will.
func problems(t *testing.T, document []byte) field.ErrorList {
	t.Helper()
	switch kind := kindOf(t, document); kind {
	case "BenchmarkRun":
		run := benchv1alpha1.BenchmarkRun{}
		decode(t, document, &run)
		encoded, err := planv1alpha1.Encode(runspec.Compile(run.Spec))
		if err != nil {
			t.Error(err)
		}
		if _, err := planv1alpha1.Decode(encoded); err != nil {
			t.Error(err)
		}
		wantCPU(t, run.Name, run.Spec)
		return validation.ValidateRun(&run)
	case "BenchmarkSuite":
		declared := benchv1alpha1.BenchmarkSuite{}
		decode(t, document, &declared)
		plan, errs := suite.Compile(&declared)
		for _, variant := range plan.Variants {
			wantCPU(t, declared.Name+", "+variant.Name, variant.Spec)
		}
		return errs
	case "BenchmarkTarget":
		target := benchv1alpha1.BenchmarkTarget{}
		decode(t, document, &target)
		return validation.ValidateTarget(&target)
	case "ConfigMap":
		list := corev1.ConfigMap{}
		decode(t, document, &list)
		if prices, has := list.Data["prices.yaml"]; has {
			if _, err := price.Parse(prices); err != nil {
				t.Error(err)
			}
		}
	case "Secret":
		decode(t, document, &corev1.Secret{})
	default:
		t.Errorf("a %s is no part of a sample", kind)
	}
	return nil
}

func wantCPU(t *testing.T, name string, spec benchv1alpha1.BenchmarkRunSpec) {
	t.Helper()
	if used := cpuMillis(spec); used > cpuBudgetMillis && !slices.Contains(forManyCores, name) {
		t.Errorf("%s uses %dm of CPU, want no more than %dm", name, used, cpuBudgetMillis)
	}
}

// cpuMillis is what all pods of a run may use at the same time.
func cpuMillis(spec benchv1alpha1.BenchmarkRunSpec) int64 {
	limit := func(resources *corev1.ResourceRequirements, byDefault corev1.ResourceList) int64 {
		cores, declared := ptr.Deref(resources, corev1.ResourceRequirements{}).Limits[corev1.ResourceCPU]
		if !declared {
			return byDefault.Cpu().MilliValue()
		}
		return cores.MilliValue()
	}
	generator := ptr.Deref(spec.LoadGenerator, benchv1alpha1.LoadGenerator{})
	pods := int64(ptr.Deref(generator.Pods, benchv1alpha1.DefaultPods))
	sum := pods * limit(generator.Resources, benchv1alpha1.DefaultLoadResources)
	target := ptr.Deref(spec.Target, benchv1alpha1.BenchmarkTargetSpec{})
	deployment := target.Deployment()
	if deployment == nil {
		return sum
	}
	members := int64(1)
	if target.Topology() == benchv1alpha1.TopologyReplicaSet {
		members = int64(ptr.Deref(target.MongoDB.ReplicaSet.Members, benchv1alpha1.DefaultMembers))
	}
	return sum + members*limit(deployment.Resources, benchv1alpha1.DefaultMemberResources)
}

// TestASampleShowsEveryOperation compares operations.yaml with the kinds that the schema allows.
func TestASampleShowsEveryOperation(t *testing.T) {
	run := benchv1alpha1.BenchmarkRun{}
	decode(t, samples(t)["operations.yaml"][0], &run)
	var shown []string
	for _, step := range run.Spec.Workload.Steps {
		for _, operation := range step.Operations {
			shown = append(shown, string(operation.Kind))
		}
	}
	source, err := os.ReadFile("operation_types.go")
	if err != nil {
		t.Fatal(err)
	}
	_, marker, _ := strings.Cut(string(source), "+kubebuilder:validation:Enum=InsertOne")
	marker, _, _ = strings.Cut("InsertOne"+marker, "\n")
	allowed := strings.Split(marker, ";")
	slices.Sort(shown)
	slices.Sort(allowed)
	shown = slices.Compact(shown) // The parts of a flow are of kinds that are shown before.
	if !slices.Equal(shown, allowed) {
		t.Errorf("the sample shows %v, want %v", shown, allowed)
	}
}

// TestSpecificationsOfThePlansAreAccepted takes what the compiler is tested with, which uses every setting.
func TestSpecificationsOfThePlansAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "spec", "testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("finding specifications: %d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			made := object(t, "run", nil)
			var spec map[string]any
			decode(t, content, &spec)
			made.Object["spec"] = spec
			if err := create(t, made); err != nil {
				t.Error(err)
			}
		})
	}
}
