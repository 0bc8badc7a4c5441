package result

import (
	"cmp"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// addMachines is the union of two lists, in order.
func addMachines(known, more []reportv1.Machine) []reportv1.Machine {
	all := slices.Concat(known, more)
	slices.SortFunc(all, func(a, b reportv1.Machine) int {
		return cmp.Or(cmp.Compare(a.CPUModel, b.CPUModel), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Node, b.Node),
			cmp.Compare(Settings(a), Settings(b)))
	})
	return slices.Compact(all)
}
