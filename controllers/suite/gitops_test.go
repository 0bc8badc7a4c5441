package suite_test

import (
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	suiteplan "github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// gitTool applies what lies in Git, as Argo CD and Flux do: server-side, with a field manager of its own, by force.
func (p *play) gitTool(owner client.FieldOwner, made *benchv1alpha1.BenchmarkSuite) {
	p.t.Helper()
	content, err := benchv1alpha1.ToUnstructured(made)
	p.must(err)
	applied := &unstructured.Unstructured{Object: content}
	applied.SetGroupVersionKind(benchv1alpha1.GroupVersion.WithKind("BenchmarkSuite"))
	for _, filled := range []string{"uid", "generation", "creationTimestamp"} {
		unstructured.RemoveNestedField(applied.Object, "metadata", filled)
	}
	delete(applied.Object, "status")
	p.must(environment.Client.Apply(p.t.Context(), client.ApplyConfigurationFromUnstructured(applied), owner,
		client.ForceOwnership))
}

func TestApplyingTheSameAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for _, tool := range []client.FieldOwner{"argocd-controller", "kustomize-controller"} {
		t.Run(string(tool), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			inGit := suitetest.Suite(p.namespace, "s")
			inGit.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": "app:mongobench.dev/BenchmarkSuite:bench/s"}
			inGit.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "app"}
			p.gitTool(tool, inGit)
			p.settle()
			p.end(p.active()[0], 10_000)
			p.gitTool(tool, inGit) // In the middle.
			p.toEnd(steady)
			p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
			before := p.suite()
			written := len(p.writes.Done)
			p.gitTool(tool, inGit)
			p.gitTool("another-tool", inGit)
			p.gitTool(tool, inGit) // Self-heal finds nothing to heal.
			p.idle()
			after := p.suite()
			if after.Generation != before.Generation || len(p.writes.Done) != written || len(p.created()) != 4 {
				t.Errorf("generation %d, was %d; written %v", after.Generation, before.Generation, p.writes.Done[written:])
			}
			p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
		})
	}
}

func TestSelfHealTakesNothingFromTheOperator(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	inGit := suitetest.Suite(p.namespace, "s")
	p.gitTool("argocd-controller", inGit)
	p.settle()
	p.edit(manyThreads(9)) // An edit by hand, which the tool puts back.
	p.settle()
	p.gitTool("argocd-controller", inGit)
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	for _, run := range p.runs() {
		if threads := *run.Spec.Workload.Steps[0].Threads; threads == 9 {
			t.Errorf("%s has %d threads", run.Name, threads)
		}
	}
}

func TestRunsOfOldRevisionsAreRemovedUnlessGitOwnsThem(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.RevisionHistoryLimit, s.Spec.Repetitions = new(int32(1)), new(int32(1))
	})
	p.toEnd(steady)
	for _, run := range p.runs() {
		if strings.HasPrefix(run.Name, "s-many-") {
			run.Labels["kustomize.toolkit.fluxcd.io/name"] = "app"
			p.must(environment.Client.Update(t.Context(), run))
		}
	}
	for threads := 9; threads < 12; threads++ {
		p.edit(manyThreads(threads))
		p.toEnd(steady)
	}
	p.idle()
	left := map[string]bool{}
	for _, run := range p.runs() {
		left[run.Annotations[suiteplan.VariantAnnotation]+strconv.Itoa(int(*run.Spec.Workload.Steps[0].Threads))] = true
	}
	if len(left) != 4 || !left["few1"] || !left["many8"] || !left["many10"] || !left["many11"] {
		t.Errorf("left are %v", left)
	}
	var stored corev1.ConfigMapList
	p.must(environment.Client.List(t.Context(), &stored, client.InNamespace(p.namespace),
		client.HasLabels{suiteplan.RevisionLabel}))
	if len(stored.Items) != 2 {
		t.Errorf("%d results are left", len(stored.Items))
	}
}

// TestRunsGoWhoseReportsHaveNoRoom has the size of no report be told, so that each counts as the largest there can be:
// three of them are more than 2 MiB.
func TestRunsGoWhoseReportsHaveNoRoom(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.HistorySizeLimit, s.Spec.Repetitions = new(resource.MustParse("2Mi")), new(int32(1))
	})
	for threads := 8; threads < 11; threads++ {
		p.edit(manyThreads(threads))
		p.toEnd(steady)
	}
	p.idle()
	left := map[int32]bool{}
	for _, run := range p.runs() {
		left[*run.Spec.Workload.Steps[0].Threads] = true
	}
	if len(left) != 3 || !left[1] || !left[9] || !left[10] {
		t.Errorf("the runs that are left have %v threads, want 1, 9 and 10", left)
	}
	if said := p.message(benchv1alpha1.SuiteAccepted); !strings.Contains(said, "more than spec.historySizeLimit, 2 MiB") {
		t.Errorf("it says %q", said)
	}
}

func TestPruneLeavesEverythingToTheGarbageCollector(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	foreground := metav1.DeletePropagationForeground
	p.must(environment.Client.Delete(t.Context(), p.suite(), &client.DeleteOptions{PropagationPolicy: &foreground}))
	before := len(p.writes.Done)
	p.idle()
	if len(p.writes.Done) != before || len(p.active()) != 1 {
		t.Errorf("written %v", p.writes.Done[before:])
	}
}

func TestARunThatIsRemovedIsMadeAgainUntilTheEnd(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	p.end(p.active()[0], 10_000)
	for _, run := range p.runs() {
		p.remove(run)
	}
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	if got := p.created(); len(got) != 5 || got[0] != got[1] {
		t.Errorf("made %v", got)
	}
	for _, run := range p.runs() {
		p.remove(run)
	}
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	if len(p.runs()) > 0 {
		t.Error("runs are made of what was complete")
	}
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Repetitions = new(int32(3)) })
	p.toEnd(steady)
	if got := p.created()[5:]; len(got) != 2 {
		t.Errorf("one repetition more made %v", got)
	}
}
