package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// targetCheck checks what holds for every product.
type targetCheck struct {
	product.Target
}

// ValidateTarget finds what is wrong with a target that the API server accepted.
func ValidateTarget(target *benchv1alpha1.BenchmarkTarget) field.ErrorList {
	return validateTargetSpec(&target.Spec, field.NewPath("spec"))
}

func validateTargetSpec(declared *benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	if declared.Topology == benchv1alpha1.TopologyExternal {
		return nil // Nothing is deployed.
	}
	c := targetCheck{product.Target{Spec: declared, Normal: spec.NormaliseTarget(*declared), Path: path}}
	return slices.Concat(c.resources(), c.pinning(), catalogue.Of(*declared).ValidateTarget(c.Target))
}

func (c targetCheck) resources() field.ErrorList {
	var errs field.ErrorList
	check := func(declared *benchv1alpha1.PodResources, defaults benchv1alpha1.PodResources, path *field.Path) {
		if declared != nil {
			errs = append(errs, validateResources(*declared, defaults, path)...)
		}
	}
	check(c.Spec.Resources, benchv1alpha1.DefaultMemberResources, c.Path.Child("resources"))
	sharded := ptr.Deref(c.Spec.Sharded, benchv1alpha1.ShardedSpec{})
	mongos := ptr.Deref(sharded.Mongos, benchv1alpha1.MongosSpec{})
	check(mongos.Resources, benchv1alpha1.DefaultMongosResources, c.Path.Child("sharded", "mongos", "resources"))
	servers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	check(servers.Resources, benchv1alpha1.DefaultConfigResources, c.Path.Child("sharded", "configServers", "resources"))
	return errs
}

// validateResources compares requests with limits of which one is unset; CEL has compared those that are both set.
func validateResources(resources, defaults benchv1alpha1.PodResources, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	compare := func(name string, request, limit, byDefault *resource.Quantity) {
		if request != nil && limit == nil && request.Cmp(*byDefault) > 0 {
			errs = append(errs, field.Invalid(path.Child(name+"Request"), request.String(),
				"must be no more than "+name+", which is "+byDefault.String()+" when unset"))
		}
	}
	compare("cpu", resources.CPURequest, resources.CPU, defaults.CPU)
	compare("memory", resources.MemoryRequest, resources.Memory, defaults.Memory)
	return errs
}

// pinning wants what the kubelet wants for cores of one's own: whole ones, and requests that equal the limits. Unset
// requests are made equal.
func (c targetCheck) pinning() field.ErrorList {
	placement := ptr.Deref(c.Spec.Placement, benchv1alpha1.PlacementSpec{})
	if ptr.Deref(placement.Pinning, "") != benchv1alpha1.PinningExclusive {
		return nil
	}
	const why = "must equal %s, or be unset, for spec.placement.pinning Exclusive"
	resources, path := c.Normal.Resources, c.Path.Child("resources")
	cpu, memory := resources.CPU, resources.Memory
	var errs field.ErrorList
	if cpu.MilliValue()%1000 != 0 {
		errs = append(errs, product.Refused(path.Child("cpu"), cpu.String(),
			"must be whole cores, such as \"1\", for placement.pinning Exclusive: a member gets cores of its own or none")...)
	}
	if request := resources.CPURequest; request != nil && request.Cmp(*cpu) != 0 {
		errs = append(errs, product.Refused(path.Child("cpuRequest"), request.String(), why, "cpu")...)
	}
	if request := resources.MemoryRequest; request != nil && request.Cmp(*memory) != 0 {
		errs = append(errs, product.Refused(path.Child("memoryRequest"), request.String(), why, "memory")...)
	}
	return errs
}
