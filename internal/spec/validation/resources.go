package validation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/mongobench/mongobench-operator/internal/product"
)

// leastLimits are the least that a pod may be limited to. A program that does next to nothing takes most of them.
var leastLimits = corev1.ResourceList{
	corev1.ResourceCPU:              resource.MustParse("50m"),
	corev1.ResourceMemory:           resource.MustParse("32Mi"),
	corev1.ResourceEphemeralStorage: resource.MustParse("64Mi"),
}

// leastStorage is the smallest volume: an idle mongod has a journal of 300 MB.
var leastStorage = resource.MustParse("1Gi")

// validateResources refuses what a pod of the operator's cannot have. What is unset has these limits.
func validateResources(
	found *product.Findings, declared *corev1.ResourceRequirements, defaults corev1.ResourceList, path *field.Path,
) {
	if declared == nil {
		return
	}
	found.Forbid(len(declared.Claims) > 0, path.Child("claims"), "the operator makes no claims of devices; leave it out")
	for _, name := range slices.Sorted(maps.Keys(declared.Limits)) {
		if known(found, name, path.Child("limits")) {
			atLeast(found, declared.Limits[name], leastLimits[name], path.Child("limits").Key(string(name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared.Requests)) {
		if !known(found, name, path.Child("requests")) {
			continue
		}
		request, path := declared.Requests[name], path.Child("requests").Key(string(name))
		found.Refuse(request.Sign() <= 0, path, request.String(), "must be greater than 0")
		limit, limited := declared.Limits[name]
		byDefault, hasDefault := defaults[name]
		switch {
		case limited:
			found.Refuse(request.Cmp(limit) > 0, path, request.String(), "must be no more than the limit, %s", &limit)
		case hasDefault:
			found.Refuse(request.Cmp(byDefault) > 0, path, request.String(),
				"must be no more than the limit, which is %s when unset", &byDefault)
		}
	}
}

// known refuses resources that the operator does not count with.
func known(found *product.Findings, name corev1.ResourceName, path *field.Path) bool {
	_, is := leastLimits[name]
	if !is {
		found.Add(field.NotSupported(path, name, slices.Sorted(maps.Keys(leastLimits))))
	}
	return is
}

// atLeast refuses a quantity that is too small.
func atLeast(found *product.Findings, quantity, least resource.Quantity, path *field.Path) {
	found.Refuse(quantity.Cmp(least) < 0, path, quantity.String(), "must be at least %s", &least)
}
