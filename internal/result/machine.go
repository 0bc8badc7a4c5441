package result

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Settings are those of the kernel that can spoil a result, in one line; empty when none is known.
func Settings(m reportv1.Machine) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("CPU governor", m.CPUGovernor)
	add("transparent huge pages", m.TransparentHugePages)
	add("swappiness", m.Swappiness)
	if m.CgroupVersion > 0 {
		add("cgroup", "v"+strconv.Itoa(m.CgroupVersion))
	}
	return strings.Join(parts, ", ")
}

// addMachines is the union of two lists, in order.
func addMachines(known, more []reportv1.Machine) []reportv1.Machine {
	all := slices.Concat(known, more)
	slices.SortFunc(all, func(a, b reportv1.Machine) int {
		return cmp.Or(cmp.Compare(a.CPUModel, b.CPUModel), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Node, b.Node),
			cmp.Compare(Settings(a), Settings(b)))
	})
	return slices.Compact(all)
}
