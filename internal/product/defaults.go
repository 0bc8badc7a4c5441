package product

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Default fills in a field that is unset.
func Default[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// Section is a group of settings, which is made where it is unset.
func Section[T any](group **T) *T {
	if *group == nil {
		*group = new(T)
	}
	return *group
}

// Surroundings fills in what every product has: where members run and with what, who reaches them, which databases
// their user may write, and what they keep their data on.
func Surroundings(target *benchv1alpha1.BenchmarkTargetSpec) {
	if len(target.Databases) == 0 {
		target.Databases = []string{benchv1alpha1.DefaultDatabase}
	}
	Resources(&target.Resources, benchv1alpha1.DefaultMemberResources)
	placement := Section(&target.Placement)
	Default(&placement.Spread, benchv1alpha1.SpreadPreferred)
	Default(&placement.Pinning, benchv1alpha1.PinningNone)
	Section(&placement.ReservedCPUs)
	security := Section(&target.Security)
	Default(&security.Authentication, benchv1alpha1.Enabled)
	Default(&security.NetworkPolicy, benchv1alpha1.Enabled)
	tls := Section(&security.TLS)
	Default(&tls.Mode, benchv1alpha1.TLSOff)
	if tls.IssuerRef != nil {
		Default(&tls.IssuerRef.Kind, benchv1alpha1.IssuerKindIssuer)
	}
	storage := Section(&target.Storage)
	Default(&storage.Medium, benchv1alpha1.StorageMediumPersistentVolume)
	Default(&storage.Size, benchv1alpha1.DefaultStorageSize.DeepCopy())
}

// Resources fills in limits, and requests that equal them.
func Resources(group **benchv1alpha1.PodResources, defaults benchv1alpha1.PodResources) {
	resources := Section(group)
	Default(&resources.CPU, defaults.CPU.DeepCopy())
	Default(&resources.Memory, defaults.Memory.DeepCopy())
	Default(&resources.CPURequest, resources.CPU.DeepCopy())
	Default(&resources.MemoryRequest, resources.Memory.DeepCopy())
}
