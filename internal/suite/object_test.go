package suite_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

func TestARunHasItsTargetAndSaysWhereItBelongs(t *testing.T) {
	declared := small(t,
		`matrix: {include: [{name: "6.0", patch: {target: {mongodb: {version: 6.0.1}}, cleanupPolicy: Keep}}]}`)
	declared.Spec.Template.Metadata = benchv1alpha1.RunTemplateMetadata{
		Labels:      map[string]string{"kueue.x-k8s.io/queue-name": "q"},
		Annotations: map[string]string{"owner": "me"},
	}
	plan := compiled(t, declared)
	hash := plan.Variants[0].Hash
	spec := *declared.Spec.Template.Spec.DeepCopy()
	spec.Target.MongoDB.Version = "6.0.1"
	spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	// The second repetition has a seed of its own for what it draws.
	spec.OperationSeed = new(benchv1alpha1.DefaultSeed + 2)
	want := &benchv1alpha1.BenchmarkRun{
		TypeMeta: metav1.TypeMeta{APIVersion: "mongobench.dev/v1alpha1", Kind: "BenchmarkRun"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "s-6-0-2-" + hash, Namespace: "team",
			Labels: map[string]string{
				"kueue.x-k8s.io/queue-name": "q", suite.Label: "s", suite.VariantLabel: "6.0", suite.RepetitionLabel: "2",
				suite.RevisionLabel: plan.Revision, suite.SpecHashLabel: hash,
			},
			Annotations: map[string]string{"owner": "me", suite.VariantAnnotation: "6.0"},
		},
		Spec: spec,
	}
	if diff := cmp.Diff(want, suite.Run(declared, plan, plan.Slots[1])); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
}

func TestRunsOfAVariantShareATarget(t *testing.T) {
	content, err := os.ReadFile("testdata/matrix.yaml")
	if err != nil {
		t.Fatal(err)
	}
	declared := suiteOf(t, string(content))
	plan := compiled(t, declared)
	const ephemeral = 2
	target := suite.Target(declared, plan, ephemeral)
	name := "versions-and-engines-6-0-5-ephemeral-" + plan.Variants[ephemeral].Hash
	want := &benchv1alpha1.BenchmarkTarget{
		TypeMeta: metav1.TypeMeta{APIVersion: "mongobench.dev/v1alpha1", Kind: "BenchmarkTarget"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "team",
			Labels: map[string]string{
				suite.Label: "versions.and-engines", suite.VariantLabel: "6.0.5-ephemeral",
				suite.RevisionLabel: plan.Revision, suite.SpecHashLabel: plan.Variants[ephemeral].Hash,
				"kueue.x-k8s.io/queue-name": "benchmarks",
			},
			Annotations: map[string]string{suite.VariantAnnotation: "6.0.5-ephemeral"},
		},
		Spec: *plan.Variants[ephemeral].Spec.Target.DeepCopy(),
	}
	want.Spec.MongoDB.Databases = []string{"shop"}
	if diff := cmp.Diff(want, target); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	for _, slot := range plan.Slots {
		run := suite.Run(declared, plan, slot)
		shared := suite.TargetName(declared, plan.Variants[slot.Variant])
		if run.Spec.Target != nil || run.Spec.TargetRef == nil || run.Spec.TargetRef.Name != shared {
			t.Errorf("%s measures %v, %v; want the target %s", run.Name, run.Spec.Target, run.Spec.TargetRef, shared)
		}
	}
	if plan.Variants[ephemeral].Spec.Target == nil {
		t.Error("the variant has lost its target")
	}
}

func TestASharedTargetAllowsWhatItsRunsDo(t *testing.T) {
	tests := map[string]struct {
		patch string
		want  func(*benchv1alpha1.BenchmarkTargetSpec)
	}{
		"the default database": {"patch: {}", func(s *benchv1alpha1.BenchmarkTargetSpec) {
			s.MongoDB.Databases = []string{"mongobench"}
		}},
		"a database besides those that are declared": {
			"patch: {target: {mongodb: {databases: [a]}}, dataset: {database: b}}",
			func(s *benchv1alpha1.BenchmarkTargetSpec) { s.MongoDB.Databases = []string{"a", "b"} },
		},
		"a database that is declared": {
			"patch: {target: {mongodb: {databases: [a, b]}}, dataset: {database: b}}",
			func(s *benchv1alpha1.BenchmarkTargetSpec) { s.MongoDB.Databases = []string{"a", "b"} },
		},
		"an action that deletes a member": {
			"patch: {target: {mongodb: {replicaSet: {}}}, " +
				"workload: {steps: [{name: read, actions: [{name: d, type: DeletePod}]}]}}",
			func(s *benchv1alpha1.BenchmarkTargetSpec) {
				s.MongoDB.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{}
				s.MongoDB.Databases = []string{"mongobench"}
				s.MongoDB.MemberRestarts = new(benchv1alpha1.MemberRestartsTolerate)
			},
		},
		"an external one": {
			"patch: {target: {$patch: replace, external: {uriSecretRef: {name: a, key: b}}}}",
			func(s *benchv1alpha1.BenchmarkTargetSpec) {
				*s = benchv1alpha1.BenchmarkTargetSpec{
					External: &benchv1alpha1.ExternalTarget{
						URISecretRef: benchv1alpha1.SecretKeyReference{Name: "a", Key: "b"},
					},
				}
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			declared := with(t, tc.patch)
			declared.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
			want := *declared.Spec.Template.Spec.Target.DeepCopy()
			tc.want(&want)
			if diff := cmp.Diff(want, suite.Target(declared, compiled(t, declared), 0).Spec); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
		})
	}
}
