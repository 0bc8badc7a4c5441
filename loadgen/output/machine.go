package output

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// mostNodes is how many names of nodes a line has.
const mostNodes = 4

// machineLines are what load pods saw of their machines, a line for each kind with the nodes that are of it.
func machineLines(machines []reportv1.Machine) []string {
	var kinds []reportv1.Machine
	nodes := map[reportv1.Machine][]string{}
	for _, machine := range machines {
		kind := machine
		kind.Node = ""
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if machine.Node != "" {
			nodes[kind] = append(nodes[kind], machine.Node)
		}
	}
	lines := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		lines = append(lines, machineLine(kind, nodes[kind]))
	}
	return lines
}

func machineLine(kind reportv1.Machine, nodes []string) string {
	var parts []string
	if kind.CPUModel != "" {
		parts = append(parts, kind.CPUModel)
	}
	if kind.Kernel != "" {
		parts = append(parts, "kernel "+kind.Kernel)
	}
	if settings := result.Settings(kind); settings != "" {
		parts = append(parts, settings)
	}
	switch more := len(nodes) - mostNodes; {
	case len(nodes) == 0:
	case more > 0:
		parts = append(parts, fmt.Sprintf("nodes %s and %d more", strings.Join(nodes[:mostNodes], " "), more))
	case len(nodes) == 1:
		parts = append(parts, "node "+nodes[0])
	default:
		parts = append(parts, "nodes "+strings.Join(nodes, " "))
	}
	return strings.Join(parts, ", ")
}
