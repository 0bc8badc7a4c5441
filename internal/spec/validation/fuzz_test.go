package validation_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/schema"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// FuzzCompile reads specifications as the command line does, where no API server has checked them: nothing that is
// written panics the validation or the compiler, and what is valid gives a plan that can be written and read.
func FuzzCompile(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("finding specifications: %d files, error %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	// What the schema refuses, a patch of a suite may still declare.
	const content = `
dataset: {collections: [{name: c, sharding: {key: [{field: a}], zones: [{name: z, shards: [0]}]}}]}
workload:
  steps: [{name: s, operations: [{name: o}], actions: [{name: a, type: StopBalancer}, {name: b, type: DeletePod}]}]
`
	for _, target := range []string{
		"{mariadb: {version: a, storage: {emptyDir: {}}}}",
		"{mariadb: {version: a, handlerSocket: {}}, mongodb: {engine: {}, sharded: {}}}",
		"{mongodb: {version: a, replicaSet: {}, sharded: {mongos: {}}}, mariadb: {}}",
		"{mongodb: {sharded: {mongos: {}, configServers: {resources: {limits: {memory: 1}}}, balancer: {}}}}",
		"{external: {tls: {}}, ferretdb: {storage: {}, security: {tls: {}}}}",
		"{external: {product: Oracle, durability: OSCache}}",
		"{}",
	} {
		f.Add([]byte("target: " + target + content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		run := &benchv1alpha1.BenchmarkRun{}
		if yaml.UnmarshalStrict(content, &run.Spec) != nil {
			return
		}
		run.APIVersion, run.Kind = benchv1alpha1.GroupVersion.String(), "BenchmarkRun"
		object, err := benchv1alpha1.ToUnstructured(run)
		if err != nil {
			t.Fatal(err)
		}
		refused, err := schema.Validate(object)
		if err != nil {
			t.Fatal(err)
		}
		errs := slices.Concat(refused, validation.ValidateRun(run))
		if plan := spec.Compile(run.Spec); len(errs) == 0 {
			checkPlan(t, plan)
		}
	})
}

func checkPlan(t *testing.T, plan planv1alpha1.Plan) {
	t.Helper()
	encoded, err := planv1alpha1.Encode(plan)
	if err != nil {
		t.Fatalf("the plan cannot be written: %v", err)
	}
	read, err := planv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatalf("the plan cannot be read: %v", err)
	}
	if diff := cmp.Diff(plan, read); diff != "" {
		t.Errorf("plan (-written +read):\n%s", diff)
	}
	for _, step := range plan.Steps {
		if operation.MostSeconds(step) < 0 {
			t.Errorf("step %s takes %d seconds", step.Name, operation.MostSeconds(step))
		}
	}
}
