package collect

import (
	"cmp"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/price"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// What the schema of a fingerprint takes.
const (
	maxServerImages, maxImage  = 8, 512
	maxMachines, maxMachine    = 16, 253
	maxCPUModel, maxGenerator  = 128, 128
	maxKernelSettings          = 128
	maxFingerprintStorageClass = 253
	maxZone                    = 128
	maxHash                    = 64
)

// Lookup names what is to be read of where the pods of a run are.
type Lookup struct {
	// Nodes of members and load pods.
	Nodes []string
	// Claim is that of a member's volume whose class the target does not name; empty when there is none.
	Claim string
	// Claims of all volumes of the members, where there is a price list.
	Claims []string
}

// Surroundings are what the objects that a Lookup names say. What may not be read is not in them.
type Surroundings struct {
	// Machines are the nodes.
	Machines []Machine
	// StorageClass is that of the claim.
	StorageClass string
	// Volumes are those of the Claims.
	Volumes []price.Volume
}

// Machine is what a node says of itself that may influence a result.
type Machine struct {
	Type, Kernel string
	// Name of the node, and the Zone that it is in; empty where it is in none.
	Name, Zone string
	// Region that it is in, and what it Has for pods: what it costs goes by these.
	Region string
	Has    capacity.Amount
}

// MachineOf is a node by its instance type or, where it has none, by its size.
func MachineOf(node *corev1.Node) Machine {
	return Machine{
		Type: capacity.MachineOf(node), Kernel: node.Status.NodeInfo.KernelVersion,
		Name: node.Name, Zone: node.Labels[corev1.LabelTopologyZone],
		Region: node.Labels[corev1.LabelTopologyRegion], Has: capacity.Of(node.Status.Allocatable),
	}
}

// Scene is what the pods of a run are on.
type Scene struct {
	// Target of the run, or nil; its Members, and the Pods of the load, those of a gateway that it goes through included.
	Target  *benchv1alpha1.BenchmarkTarget
	Members []corev1.Pod
	Pods    []corev1.Pod
}

// Lookup names what is to be read.
func (s Scene) Lookup() Lookup {
	var lookup Lookup
	for _, pod := range slices.Concat(s.Members, s.Pods) {
		lookup.Nodes = append(lookup.Nodes, pod.Spec.NodeName)
	}
	lookup.Nodes = distinct(lookup.Nodes)
	if declaredClass(s.Target) == "" {
		lookup.Claim = claimed(s.Members)
	}
	return lookup
}

// declaredClass is the storage class that a target names.
func declaredClass(target *benchv1alpha1.BenchmarkTarget) string {
	if target == nil {
		return ""
	}
	storage := ptr.Deref(target.Spec.Deployment(), benchv1alpha1.Deployment{}).Storage
	if storage == nil || storage.VolumeClaimTemplate == nil {
		return ""
	}
	return ptr.Deref(storage.VolumeClaimTemplate.Spec.StorageClassName, "")
}

// claimed is the claim of the first member, by its name, that has one. Those of the others are made from the same
// template.
func claimed(members []corev1.Pod) string {
	byName := slices.SortedFunc(slices.Values(members), func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	for _, member := range byName {
		for _, volume := range member.Spec.Volumes {
			if volume.PersistentVolumeClaim != nil {
				return volume.PersistentVolumeClaim.ClaimName
			}
		}
	}
	return ""
}

// Fingerprint is what may have influenced a result, besides what the servers say of themselves.
func (s Scene) Fingerprint(
	plan planv1alpha1.Plan, around Surroundings, seen reportv1alpha1.Conditions,
) *benchv1alpha1.RunFingerprint {
	types, kernels := make([]string, len(around.Machines)), make([]string, len(around.Machines))
	for i, machine := range around.Machines {
		types[i], kernels[i] = machine.Type, machine.Kernel
	}
	class := declaredClass(s.Target)
	if class == "" {
		class = around.StorageClass
	}
	return &benchv1alpha1.RunFingerprint{
		DatasetHash:  plan.Dataset,
		WorkloadHash: WorkloadHash(plan),
		ServerImages: listed(images(s.Members, servers...), maxServerImages, maxImage),
		// One, unless a tag was moved between two pulls.
		GeneratorImage:   condition.Cut(strings.Join(distinct(images(s.Pods, naming.LoadContainer)), ", "), maxImage),
		GeneratorVersion: condition.Cut(seen.LoadgenVersion, maxGenerator),
		Clients:          listed(seen.Clients, maxClients, maxClient),
		StorageClass:     condition.Cut(class, maxFingerprintStorageClass),
		NodeTypes:        listed(types, maxMachines, maxMachine),
		Kernels:          listed(kernels, maxMachines, maxMachine),
		Processors:       processors(seen),
		CPUModels:        listed(seen.CPUModels, maxMachines, maxCPUModel),
		KernelSettings:   listed(seen.KernelSettings, maxMachines, maxKernelSettings),

		SharedNodes:       s.sharedNodes(),
		Zones:             listed(s.zones(around.Machines), maxMachines, maxZone),
		FilesHash:         condition.Cut(seen.FilesHash, maxHash),
		FoundDocuments:    natural(seen.FoundDocuments),
		FoundBytes:        natural(seen.FoundBytes),
		RoundTripMicros:   natural(seen.RoundTripMicros),
		ClockSpreadMicros: natural(seen.ClockSpreadMicros),
		StealPercent:      percent(seen.StealPercent),
		ThrottledPercent:  percent(seen.ThrottledPercent),
	}
}

// Most clients of a fingerprint, and the longest text of one.
const (
	maxClients = 8
	maxClient  = 384
)

// processors are the most that the load generator used at a time; nil when nothing was measured.
func processors(seen reportv1alpha1.Conditions) *int32 {
	if seen.Processors <= 0 {
		return nil
	}
	return new(int32(min(seen.Processors, math.MaxInt32)))
}

// natural is a figure that is not below zero, which no honest one is.
func natural(figure *int64) *int64 {
	if figure == nil {
		return nil
	}
	return new(max(*figure, 0))
}

// percent is a share from 0 to 100.
func percent(share *int32) *int32 {
	if share == nil {
		return nil
	}
	return new(min(max(*share, 0), 100))
}

// sharedNodes says how many of the load pods ran on a node with a member; empty where that is not known.
func (s Scene) sharedNodes() benchv1alpha1.SharedNodes {
	placed, shared := 0, len(s.Beside())
	for _, pod := range s.Pods {
		if pod.Spec.NodeName != "" {
			placed++
		}
	}
	switch {
	case len(s.MemberNodes()) == 0 || placed == 0:
		return ""
	case shared == 0:
		return benchv1alpha1.SharedNone
	case shared < placed:
		return benchv1alpha1.SharedSome
	default:
		return benchv1alpha1.SharedAll
	}
}

// zones are those of the load pods and of the members.
func (s Scene) zones(machines []Machine) []string {
	zoneOf := map[string]string{}
	for _, machine := range machines {
		zoneOf[machine.Name] = machine.Zone
	}
	var found []string
	add := func(who string, pods []corev1.Pod) {
		for _, pod := range pods {
			if zone := zoneOf[pod.Spec.NodeName]; zone != "" {
				found = append(found, who+" in "+zone)
			}
		}
	}
	isGateway := func(pod corev1.Pod) bool {
		return pod.Labels[naming.ComponentLabel] == string(naming.ComponentGateway)
	}
	add("load pods", slices.DeleteFunc(slices.Clone(s.Pods), isGateway))
	add("gateway", slices.DeleteFunc(slices.Clone(s.Pods), func(pod corev1.Pod) bool { return !isGateway(pod) }))
	add("members", s.Members)
	return found
}

// WorkloadHash is the hash of a plan without the dataset, which has one of its own, and without the seed of the
// operations: repetitions differ in that, and are repetitions all the same. What a duet compares is no part of it
// either, for only one of its sides says so. It is empty for a plan that cannot be encoded, which none is that load
// pods were given.
func WorkloadHash(plan planv1alpha1.Plan) string {
	plan.Collections, plan.Dataset, plan.OperationSeed, plan.Duet = nil, "", 0, nil
	plan.Steps = slices.Clone(plan.Steps)
	for i := range plan.Steps {
		plan.Steps[i].Compare = nil
	}
	encoded, err := planv1alpha1.Encode(plan)
	if err != nil {
		return ""
	}
	return planv1alpha1.Hash(encoded)
}

// servers are the containers of members that serve requests.
var servers = append(catalogue.Programs(), naming.MongosContainer)

// images are those that containers of these names run, as the kubelets tell them. A container that is only being
// started has none yet.
func images(pods []corev1.Pod, containers ...string) []string {
	var found []string
	for _, pod := range pods {
		for _, container := range pod.Status.ContainerStatuses {
			if slices.Contains(containers, container.Name) {
				found = append(found, container.ImageID)
			}
		}
	}
	return found
}

// distinct are texts each once and in order, without empty ones.
func distinct(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	slices.Sort(texts)
	return slices.Compact(texts)
}

// listed are distinct texts, limited in their length and number.
func listed(texts []string, most, mostBytes int) []string {
	texts = distinct(texts)
	for i := range texts {
		texts[i] = condition.Cut(texts[i], mostBytes)
	}
	if len(texts) == 0 {
		return nil
	}
	return texts[:min(len(texts), most)]
}

// forget leaves out the last entry of the longest list of a fingerprint, and says whether there was one.
func forget(f *benchv1alpha1.RunFingerprint) bool {
	longest := &f.ServerImages
	for _, list := range []*[]string{&f.NodeTypes, &f.Kernels, &f.CPUModels, &f.KernelSettings, &f.Zones} {
		if bytesOf(*list) > bytesOf(*longest) {
			longest = list
		}
	}
	if len(*longest) == 0 {
		return false
	}
	*longest = (*longest)[:len(*longest)-1]
	return true
}

func bytesOf(texts []string) int { return len(strings.Join(texts, "")) }
