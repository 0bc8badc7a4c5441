package validation

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// leastMongodMemory is the smallest memory limit with which mongod was seen to survive a load. It takes 117 MB when
// idle, and its cache cannot be smaller than 256 MB, of which it fills four fifths before it evicts: with a limit of
// 320 MiB it took 600 MB of inserts, while with less the kernel kills it as soon as the cache is full.
var leastMongodMemory = resource.MustParse("320Mi")

// ValidateTarget finds what is wrong with a target that the API server accepted.
func ValidateTarget(target *benchv1alpha1.BenchmarkTarget) field.ErrorList {
	return validateTargetSpec(&target.Spec, field.NewPath("spec"))
}

func validateTargetSpec(spec *benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	if spec.Resources == nil {
		return nil
	}
	resources := path.Child("resources")
	errs := validateResources(*spec.Resources, benchv1alpha1.DefaultMemberResources, resources)
	memory := ptr.Deref(spec.Resources.Memory, *benchv1alpha1.DefaultMemberResources.Memory)
	if memory.Cmp(leastMongodMemory) < 0 {
		errs = append(errs, field.Invalid(resources.Child("memory"), memory.String(),
			"must be at least 320Mi: an idle mongod takes 117 MB, its smallest cache is 256 MB, and with less memory it is "+
				"killed during the load"))
	}
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
