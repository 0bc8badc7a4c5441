package decide

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// placed has members and load pods on nodes, with images.
func (w *world) placed() {
	container := func(name, image string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "sidecar", ImageID: "x@sha256:0"}, {Name: name, ImageID: image}}
	}
	member := func(name, node, containerName, image, claim string) corev1.Pod {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node}}
		pod.Status.ContainerStatuses = container(containerName, image)
		pod.Spec.Volumes = []corev1.Volume{{Name: "tmp"}}
		if claim != "" {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}})
		}
		return pod
	}
	w.Members = []corev1.Pod{
		member("r-mongod-1", "b", "mongod", "mongo@sha256:1", "data-r-mongod-1"),
		member("r-mongod-0", "a", "mongod", "mongo@sha256:1", "data-r-mongod-0"),
		member("r-mongos-0", "a", "mongos", "mongos@sha256:2", ""),
		member("r-a-starting", "", "mongod", "", ""),
	}
	for i := range w.Pods {
		w.Pods[i].Spec.NodeName = "load"
		w.Pods[i].Status.ContainerStatuses = container("load", "loadgen@sha256:3")
	}
	w.Surroundings = collect.Surroundings{
		Machines: []collect.Machine{
			{Type: "m7g.large", Kernel: "6.1", Name: "a", Zone: "z1"},
			{Type: "m7g.large", Kernel: "6.0", Name: "b"},
			{Name: "load", Zone: "z2"},
		},
		StorageClass: "standard",
	}
}

func TestFingerprintOfAResult(t *testing.T) {
	full := func(w *world) *benchv1alpha1.RunFingerprint {
		return &benchv1alpha1.RunFingerprint{
			DatasetHash:    spec.Compile(w.Run.Spec).Dataset,
			WorkloadHash:   collect.WorkloadHash(spec.Compile(w.Run.Spec)),
			ServerImages:   []string{"mongo@sha256:1", "mongos@sha256:2"},
			GeneratorImage: "loadgen@sha256:3", GeneratorVersion: "test", StorageClass: "standard",
			NodeTypes: []string{"m7g.large"}, Kernels: []string{"6.0", "6.1"}, CPUModels: []string{runtest.CPUModel},
			KernelSettings: []string{"swappiness 60, cgroup v2"}, Processors: new(int32(2)),
			SharedNodes: benchv1alpha1.SharedNone, Zones: []string{"load pods in z2", "members in z1"},
			StealPercent: new(int32(0)),
		}
	}
	for name, tc := range map[string]struct {
		change func(*world)
		want   func(*benchv1alpha1.RunFingerprint)
	}{
		"everything is known": {func(*world) {}, func(*benchv1alpha1.RunFingerprint) {}},
		"nodes and claims may not be read": {
			func(w *world) { w.Surroundings = collect.Surroundings{} },
			func(f *benchv1alpha1.RunFingerprint) {
				f.NodeTypes, f.Kernels, f.StorageClass, f.Zones = nil, nil, "", nil
			},
		},
		"one load pod shares a node with a member": {
			func(w *world) { w.Pods[0].Spec.NodeName = "a" },
			func(f *benchv1alpha1.RunFingerprint) {
				f.SharedNodes = benchv1alpha1.SharedSome
				f.Zones = []string{"load pods in z1", "load pods in z2", "members in z1"}
			},
		},
		"all load pods do": {
			func(w *world) {
				for i := range w.Pods {
					w.Pods[i].Spec.NodeName = "b"
				}
			},
			func(f *benchv1alpha1.RunFingerprint) {
				f.SharedNodes, f.Zones = benchv1alpha1.SharedAll, []string{"members in z1"}
			},
		},
		"a declared class is told without the claim": {
			func(w *world) {
				w.Surroundings.StorageClass = ""
				w.Target.Spec.MongoDB.Storage = targettest.Claim("", "fast")
			},
			func(f *benchv1alpha1.RunFingerprint) { f.StorageClass = "fast" },
		},
		"an external target has no members": {
			func(w *world) { w.Members, w.Surroundings.StorageClass = nil, "" },
			func(f *benchv1alpha1.RunFingerprint) {
				f.ServerImages, f.StorageClass, f.SharedNodes, f.Zones = nil, "", "", []string{"load pods in z2"}
			},
		},
		"load pods of two images": {
			func(w *world) { w.Pods[1].Status.ContainerStatuses[1].ImageID = "loadgen@sha256:4" },
			func(f *benchv1alpha1.RunFingerprint) { f.GeneratorImage = "loadgen@sha256:3, loadgen@sha256:4" },
		},
		"nodes of more types than the status takes": {
			func(w *world) {
				w.Surroundings.Machines = nil
				for i := range 30 {
					w.Surroundings.Machines = append(w.Surroundings.Machines,
						collect.Machine{Type: string(rune('a' + i)), Kernel: strings.Repeat("k", 300)})
				}
			},
			func(f *benchv1alpha1.RunFingerprint) {
				f.NodeTypes = strings.Split("abcdefghijklmnop", "")
				f.Kernels, f.Zones = []string{strings.Repeat("k", 250) + "..."}, nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.toCollecting()
			w.placed()
			tc.change(w)
			w.reportAll()
			w.settle()
			want := full(w)
			tc.want(want)
			if diff := cmp.Diff(want, w.Run.Status.Fingerprint); diff != "" {
				t.Errorf("fingerprint (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSurroundingsAreLookedUpOnceTheReportIsStored(t *testing.T) {
	w := newWorld(t)
	w.toCollecting()
	w.placed()
	if _, wanted := Lookup(&w.Observation); wanted {
		t.Error("they are looked up before there is a report")
	}
	w.reportAll()
	w.apply(Decide(w.Observation)) // Now the gate asks for the reports.
	w.observe()
	lookup, wanted := Lookup(&w.Observation)
	want := collect.Lookup{Nodes: []string{"a", "b", "load"}, Claim: "data-r-mongod-0"}
	if diff := cmp.Diff(want, lookup); !wanted || diff != "" {
		t.Errorf("wanted: %v; lookup (-want +got):\n%s", wanted, diff)
	}
	w.Target.Spec.MongoDB.Storage = targettest.Claim("", "fast")
	if lookup, _ = Lookup(&w.Observation); lookup.Claim != "" {
		t.Errorf("claim %s is looked up though its class is declared", lookup.Claim)
	}
	w.settle()
	if _, wanted = Lookup(&w.Observation); wanted {
		t.Error("they are looked up after the verdict")
	}
}

func TestWorkloadHashKnowsNothingOfTheDataset(t *testing.T) {
	hash := func(change func(*benchv1alpha1.BenchmarkRunSpec)) string {
		run := runtest.Run("bench", "r")
		change(&run.Spec)
		return collect.WorkloadHash(spec.Compile(run.Spec))
	}
	before := hash(func(*benchv1alpha1.BenchmarkRunSpec) {})
	larger := func(s *benchv1alpha1.BenchmarkRunSpec) { s.Dataset.Collections[0].DocumentCount = new(int64(7)) }
	if got := hash(larger); got != before {
		t.Error("another dataset is another workload")
	}
	busier := func(s *benchv1alpha1.BenchmarkRunSpec) { s.Workload.Steps[0].Threads = new(int32(5)) }
	if got := hash(busier); got == before || len(got) != 64 {
		t.Errorf("more threads are the same workload %q", got)
	}
}

// TestBothSidesOfADuetHaveOneWorkload: they would be unlike otherwise, and compared with nothing.
func TestBothSidesOfADuetHaveOneWorkload(t *testing.T) {
	w := newWorld(t)
	inTurns(w)
	normal := spec.Normalise(w.Run.Spec)
	normal.Duet.Thresholds = spec.Thresholds([]benchv1alpha1.Threshold{{
		Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: new(int32(5)),
	}})
	plan := spec.CompileDuet(normal, w.Baseline.Spec)
	compares := slices.ContainsFunc(plan.Steps, func(step planv1alpha1.Step) bool { return len(step.Compare) > 0 })
	if plan.Duet == nil || !compares {
		t.Fatalf("this is no plan of a duet: %+v", plan)
	}
	before, err := planv1alpha1.Encode(plan)
	if err != nil {
		t.Fatal(err)
	}
	if one, other := collect.WorkloadHash(plan), collect.WorkloadHash(plan.Duet.Baseline); one == "" || one != other {
		t.Errorf("the hashes are %q and %q", one, other)
	}
	if after, err := planv1alpha1.Encode(plan); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the plan is another one afterwards: %v", err)
	}
}
