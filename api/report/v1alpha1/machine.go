package v1alpha1

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Machine is what a load pod sees of the machine that it runs on. What the kernel does not tell a pod is empty.
type Machine struct {
	// Node is what the cluster calls the machine; empty outside of one.
	Node string `json:"node,omitempty"`
	// CPUModel and Kernel, its release.
	CPUModel string `json:"cpuModel,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
	// CPUGovernor chooses the clock rate of the processors; of several they are joined by commas. Virtual machines have
	// none.
	CPUGovernor string `json:"cpuGovernor,omitempty"`
	// TransparentHugePages is when the kernel makes them: always, madvise or never.
	TransparentHugePages string `json:"transparentHugePages,omitempty"`
	// Swappiness is how readily memory of processes is swapped, as the kernel writes the number.
	Swappiness string `json:"swappiness,omitempty"`
	// CgroupVersion is 1 or 2; 0 when it is not known.
	CgroupVersion int `json:"cgroupVersion,omitempty"`
}

// Settings are those of the kernel that can spoil a result, in one line; empty when none is known.
func (m Machine) Settings() string {
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
func addMachines(known, more []Machine) []Machine {
	all := slices.Concat(known, more)
	slices.SortFunc(all, func(a, b Machine) int {
		return cmp.Or(cmp.Compare(a.CPUModel, b.CPUModel), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Node, b.Node),
			cmp.Compare(a.Settings(), b.Settings()))
	})
	return slices.Compact(all)
}
