package estimate_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// node of some cores and GiB, that is ready.
func node(name, cpu, memory string, change ...func(*corev1.Node)) estimate.Node {
	made := &corev1.Node{}
	made.Name, made.Labels = name, map[string]string{corev1.LabelOSStable: "linux"}
	made.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	made.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, each := range change {
		each(made)
	}
	return estimate.NodeOf(made)
}

// taken is a node with a pod on it.
func taken(node estimate.Node, cpuMillis int64) estimate.Node {
	node.Taken = capacity.Amount{CPUMillis: cpuMillis, Pods: 1}
	return node
}

func tainted(made *corev1.Node) {
	made.Spec.Taints = []corev1.Taint{{Key: "only", Value: "mongod", Effect: corev1.TaintEffectNoSchedule}}
}

func labelled(made *corev1.Node) { made.Labels["pool"] = "fast" }

func silent(made *corev1.Node) { made.Status.Conditions = nil }

func TestFits(t *testing.T) {
	required := benchv1alpha1.SpreadRequired
	// Three members of 1 CPU and 2 GiB each, with a cache of 512 MiB, and a load pod and a Job beside them.
	spec := targettest.Set("6.0.5", 3)
	spec.MongoDB.Resources = targettest.Limits("1", "2Gi")
	placed := func(placement benchv1alpha1.PlacementSpec) benchv1alpha1.BenchmarkTargetSpec {
		changed := spec.DeepCopy()
		changed.MongoDB.Placement = &placement
		return *changed
	}
	on := func(settings benchv1alpha1.PodSettings) benchv1alpha1.BenchmarkTargetSpec {
		changed := spec.DeepCopy()
		changed.MongoDB.PodSettings = &settings
		return *changed
	}
	caching := *spec.DeepCopy()
	caching.MongoDB.Resources = targettest.Limits("1", "9Gi")
	caching.MongoDB.Resources.Requests = targettest.Requests("", "1Gi").Requests
	cases := map[string]struct {
		spec  benchv1alpha1.BenchmarkTargetSpec
		nodes []estimate.Node
		want  estimate.Answer
		says  string
	}{
		"one large node": {spec, []estimate.Node{node("a", "4", "8Gi")}, estimate.Yes, "a place for every pod"},
		"no nodes":       {spec, nil, estimate.No, "no nodes"},
		"a small node": {
			spec,
			[]estimate.Node{node("a", "2500m", "8Gi")},
			estimate.No,
			"2 of 3 members fit, each of which takes 1 CPU and 2048 MiB",
		},
		"nodes that hold the members and nothing else": {
			spec, []estimate.Node{node("a", "3", "8Gi")}, estimate.No, "all pods take 3550m CPU",
		},
		"a node that is full": {
			spec, []estimate.Node{taken(node("a", "4", "8Gi"), 2000)}, estimate.NotNow, "2 of 3 members fit",
		},
		"nodes with room in pieces": {
			spec,
			[]estimate.Node{node("a", "1200m", "8Gi"), node("b", "1200m", "8Gi"), node("c", "1200m", "8Gi")},
			estimate.Perhaps, "no place for every pod",
		},
		"members apart": {
			placed(benchv1alpha1.PlacementSpec{Spread: &required}),
			[]estimate.Node{node("a", "8", "8Gi"), node("b", "8", "8Gi")},
			estimate.No, "2 of 3 members fit",
		},
		"few members a node": {
			placed(benchv1alpha1.PlacementSpec{MembersPerNode: new(int32(2))}),
			[]estimate.Node{node("a", "8", "16Gi")},
			estimate.No, "2 of 3 members fit",
		},
		"cores that are left to others": {
			placed(benchv1alpha1.PlacementSpec{ReservedCPUs: amount("2")}),
			[]estimate.Node{node("a", "4", "8Gi")},
			estimate.No, "2 of 3 members fit",
		},
		"a taint": {spec, []estimate.Node{node("a", "4", "8Gi", tainted)}, estimate.No, "its taint only=mongod:NoSchedule"},
		"a taint that is tolerated by members alone": {
			on(benchv1alpha1.PodSettings{Tolerations: []corev1.Toleration{{Key: "only", Value: "mongod"}}}),
			[]estimate.Node{node("a", "4", "8Gi", tainted)},
			estimate.No, "0 of 1 load pods fit",
		},
		"a taint that is tolerated, and a node for the others": {
			on(benchv1alpha1.PodSettings{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}),
			[]estimate.Node{node("a", "3", "8Gi", tainted), node("b", "1", "1Gi")},
			estimate.Yes, "",
		},
		"a label that is missing": {
			on(benchv1alpha1.PodSettings{NodeSelector: map[string]string{"pool": "fast"}}),
			[]estimate.Node{node("a", "4", "8Gi")},
			estimate.No, "it has no label pool=fast",
		},
		"a label": {
			on(benchv1alpha1.PodSettings{NodeSelector: map[string]string{"pool": "fast"}}),
			[]estimate.Node{node("a", "4", "8Gi", labelled)},
			estimate.Yes, "",
		},
		"a node that is silent": {spec, []estimate.Node{node("a", "4", "8Gi", silent)}, estimate.No, "it is not ready"},
		"a cache that is larger than what is asked for": {
			caching,
			[]estimate.Node{node("a", "4", "7Gi")},
			estimate.No,
			"1 of 3 members fit, each of which takes 1 CPU and 4096 MiB",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pods := append(estimate.TargetPods(tc.spec), estimate.LoadPods(benchv1alpha1.BenchmarkRunSpec{}))
			got := estimate.Fits(pods, estimate.Nodes{All: tc.nodes})
			if got.Answer != tc.want || !strings.Contains(got.Why, tc.says) {
				t.Errorf("got %+v, want %s with %q", got, tc.want, tc.says)
			}
		})
	}
}

func TestWhatIsTakenMayBeUnknown(t *testing.T) {
	pods := []estimate.Pods{estimate.LoadPods(benchv1alpha1.BenchmarkRunSpec{})}
	nodes := estimate.Nodes{All: []estimate.Node{node("a", "4", "8Gi")}, PodsUnknown: errors.New("no")}
	if got := estimate.Fits(pods, nodes); got.Answer != estimate.Unknown {
		t.Errorf("got %+v", got)
	}
	nodes.All = []estimate.Node{node("a", "100m", "8Gi")}
	if got := estimate.Fits(pods, nodes); got.Answer != estimate.No {
		t.Errorf("on a node that is too small: got %+v", got)
	}
}

func TestTexts(t *testing.T) {
	around := estimate.Surroundings{Reference: &estimate.Reference{
		Run: "before", DocumentsPerSecond: 50_000, DocumentBytes: 200, RestSeconds: 7,
	}}
	write := func(found estimate.Estimate) string {
		var text strings.Builder
		if err := estimate.Write(&text, found); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	run, suite := of(t, "standalone", around), of(t, "suite", around)
	run.Runs[0].Fits = &estimate.Fit{Answer: estimate.Yes, Why: "of this"}
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"a run": {write(run), []string{
			"run/standalone\n", "PART          PODS    CPU  LIMIT    MEMORY     LIMIT  VOLUME\n",
			"members          1   700m   700m  1024 MiB  1024 MiB  2 GiB EmptyDir\n",
			"together         3  1650m  2100m  1344 MiB  1408 MiB  2 GiB\n", "dataset      people: 100,000 documents of ",
			"measuring    at least 32s: mixed 32s\n", "documents or 9.54 MiB a second, as run before loaded\n",
			"besides      about 7s, provisioning", "not counted  indexes", "fits         yes: of this\n",
			"load pods    each takes up to ", " of its memory of 256 MiB, ",
		}},
		"a suite": {write(suite), []string{
			"suite/index: 10 runs, 1 at a time\n", "with        5     3  1650m  1344 MiB    2 GiB    ", "EACH AT LEAST",
			"at once, at most",
			"measuring    at least 90s\n", "besides      about 70s, ", "load pods    each takes up to ",
		}},
		"a run of which little is known": {write(of(t, "standalone", estimate.Surroundings{})), []string{
			"load         unknown: no finished run of the namespace is known", "besides      unknown: ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			wantText(t, tc.text, tc.want)
		})
	}
}

func wantText(t *testing.T, text string, words []string) {
	t.Helper()
	for _, want := range words {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \n")+"\n" != line {
			t.Errorf("%q ends with a space", line)
		}
	}
}
