package presets

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Expand returns a specification in which the preset has become a dataset and a workload. One without a preset is
// returned as it is. The errors say which parameters are not known or have a wrong value; such a parameter then counts
// as left out.
func Expand(spec benchv1alpha1.BenchmarkRunSpec) (benchv1alpha1.BenchmarkRunSpec, field.ErrorList) {
	if spec.Preset == nil {
		return spec, nil
	}
	core, errs := readCore(*spec.Preset)
	spec.Dataset, spec.Workload = core.dataset(), core.workload(*spec.Preset)
	if pods := podCount(spec); pods > benchv1alpha1.DefaultLoadThreads {
		spec.Dataset.Load.Threads = &pods // Every load pod has something to do.
	}
	spec.Preset = nil
	return spec, errs
}

// Names are those of the presets that are known, in their order.
func Names() []benchv1alpha1.PresetName {
	return slices.Sorted(maps.Keys(defaults))
}

func podCount(spec benchv1alpha1.BenchmarkRunSpec) int32 {
	if spec.LoadGenerator == nil || spec.LoadGenerator.Pods == nil {
		return benchv1alpha1.DefaultPods
	}
	return *spec.LoadGenerator.Pods
}
