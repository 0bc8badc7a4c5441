package collect

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestMachineOfANode(t *testing.T) {
	capacity := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		}
	}
	for name, tc := range map[string]struct {
		node corev1.Node
		want Machine
	}{
		"a type is all that is said of the size": {
			corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"node.kubernetes.io/instance-type": "m7g.large"}},
				Status: corev1.NodeStatus{
					Capacity: capacity("2", "8Gi"), NodeInfo: corev1.NodeSystemInfo{KernelVersion: "6.1.0", Architecture: "arm64"},
				},
			},
			Machine{Type: "m7g.large", Kernel: "6.1.0"},
		},
		"without a type the size is rounded to what was bought": {
			corev1.Node{Status: corev1.NodeStatus{
				Capacity: capacity("8", "32463268Ki"),
				NodeInfo: corev1.NodeSystemInfo{KernelVersion: "5.15", Architecture: "amd64"},
			}},
			Machine{Type: "8 cores, 31 GiB, amd64", Kernel: "5.15"},
		},
		"a node in a zone": {
			corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{
				"topology.kubernetes.io/zone": "z", "node.kubernetes.io/instance-type": "t",
			}}},
			Machine{Type: "t", Name: "n", Zone: "z"},
		},
		"a node that has said nothing yet": {corev1.Node{}, Machine{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MachineOf(&tc.node); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestFingerprintWithoutEndLeavesTheStatusReadable(t *testing.T) {
	status := &benchv1alpha1.BenchmarkRunStatus{Fingerprint: &benchv1alpha1.RunFingerprint{
		DatasetHash: strings.Repeat("d", 64), GeneratorImage: strings.Repeat("g", maxImage),
	}}
	f := status.Fingerprint
	for range maxServerImages {
		f.ServerImages = append(f.ServerImages, strings.Repeat("s", maxImage))
	}
	for range maxMachines {
		f.NodeTypes = append(f.NodeTypes, strings.Repeat("\x01", maxMachine)) // As JSON six times as long.
		f.Kernels = append(f.Kernels, strings.Repeat("k", maxMachine))
		f.CPUModels = append(f.CPUModels, strings.Repeat("c", maxCPUModel))
		f.KernelSettings = append(f.KernelSettings, strings.Repeat("s", maxKernelSettings))
	}
	Fit(status)
	if got := Size(status); got > MaxStatusBytes || got < MaxStatusBytes/2 {
		t.Errorf("the status takes %d bytes of %d", got, MaxStatusBytes)
	}
	if len(f.ServerImages) == 0 || len(f.Kernels) == 0 || len(f.CPUModels) == 0 || f.DatasetHash == "" {
		t.Errorf("a list was left out as a whole: %d, %d, %d", len(f.ServerImages), len(f.Kernels), len(f.CPUModels))
	}
}

func TestTheStatusSaysWhatWasReadBack(t *testing.T) {
	known := &benchv1alpha1.ServerFingerprint{
		Durability: "Memory", StorageEngine: "wiredTiger", SyncP50Micros: new(int64(1)),
	}
	ReadBack(known, reportv1alpha1.Collected{})
	if known.Durability != "Memory" || known.StorageEngine != "wiredTiger" || *known.SyncP50Micros != 1 {
		t.Errorf("a report that says nothing made it %+v", known)
	}
	ReadBack(known, reportv1alpha1.Collected{
		Durability: "Memory, Synced", StorageEngine: "wiredTiger LSM",
		SyncMicros: reportv1alpha1.SyncMicros{P50: 120, P99: 370},
	})
	if known.Durability != "Memory, Synced" || known.StorageEngine != "wiredTiger LSM" ||
		*known.SyncP50Micros != 120 || *known.SyncP99Micros != 370 {
		t.Errorf("got %+v", known)
	}
	ReadBack(nil, reportv1alpha1.Collected{Durability: "Synced"})
}

func TestTheSeedOfARepetitionIsNoOtherWorkload(t *testing.T) {
	plan := planv1alpha1.Plan{Version: planv1alpha1.Version, Seed: 1, Pods: 1}
	first := WorkloadHash(plan)
	plan.OperationSeed = 5
	if second := WorkloadHash(plan); first == "" || second != first {
		t.Errorf("the hash is %q with another operationSeed, want %q", second, first)
	}
	plan.Seed = 2
	if WorkloadHash(plan) == first {
		t.Error("the hash is the same with other documents")
	}
}
