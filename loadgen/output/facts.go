package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/result"
)

const (
	// hashDigits is how much of a plan's hash is shown to people.
	hashDigits = 12
	// mostNodes is how many names of nodes a line has.
	mostNodes = 4
)

// Head is what the text form begins with: the server, in the first place, the load generator, and the loading.
func Head(run Run) present.Facts {
	report := run.Report
	var facts present.Facts
	facts.Add("Server", serverLine(report.Server))
	facts.Add("Durability", durabilityLine(report.Server))
	facts.Add("Generator", fmt.Sprintf("loadgen %s, %s, %s, plan %.*s", report.LoadgenVersion, report.Driver,
		present.Plural(int64(report.Pods), "pod"), hashDigits, report.PlanHash))
	for _, limit := range result.CPULimits(report) {
		facts.Add("CPU limit", limit.String())
	}
	for _, line := range machineLines(report.Machines) {
		facts.Add("Machine", line)
	}
	if load := run.Summary.Load; load != nil {
		facts.Add("Load", fmt.Sprintf("%s in %s, %s documents/s%s", present.Plural(load.Documents, "document"),
			present.Millis(load.DurationMillis), present.Count(load.DocumentsPerSecond), workers(load.Threads, load.Client)))
	} else if run.Summary.LoadSkipped != "" {
		facts.Add("Load", "skipped: "+run.Summary.LoadSkipped)
	}
	if found := run.Summary.Found; found != nil {
		facts.Add("Dataset", foundLine(*found))
	}
	addDiagnostics(&facts, report.Members)
	facts.Add("Cost", costLine(report.Cost))
	return facts
}

// foundLine tells of a dataset that was not loaded.
func foundLine(found reportv1.FoundSummary) string {
	line := "found there, not loaded: " + present.Plural(found.Documents, "document")
	if found.DataBytes > 0 {
		line += ", " + present.BytesCell(found.DataBytes).Text + " of data"
	}
	return line
}

// workers are how many threads did a load, and what they sent by, where that is known.
func workers(threads int, client string) string {
	if threads == 0 {
		return ""
	}
	return ", " + present.Plural(int64(threads), "thread") + by(client)
}

// by names what was sent by, where that is known.
func by(client string) string {
	if client == "" {
		return ""
	}
	return " by " + client
}

func serverLine(server reportv1.Server) string {
	parts := []string{product(server) + " " + server.Version}
	switch {
	case server.Members > 1:
		parts = append(parts, fmt.Sprintf("%s of %d", server.Topology, server.Members))
	case server.Topology != "":
		parts = append(parts, server.Topology)
	}
	if server.StorageEngine != "" {
		parts = append(parts, server.StorageEngine)
	}
	if server.CacheMebibytes > 0 {
		parts = append(parts, fmt.Sprintf("cache %s MiB", present.Count(server.CacheMebibytes)))
	}
	if server.MemoryLimitMebibytes > 0 {
		parts = append(parts, fmt.Sprintf("memory %s MiB", present.Count(server.MemoryLimitMebibytes)))
	}
	if server.CPUCores > 0 {
		parts = append(parts, cores(server))
	}
	if server.DefaultWriteConcern != "" && !flushesBySettings(server) {
		parts = append(parts, "write concern "+server.DefaultWriteConcern)
	}
	return strings.Join(parts, ", ")
}

// cores are those that a mongod believes it has, and the part of them that it may use where that is known.
func cores(server reportv1.Server) string {
	all := present.Plural(int64(server.CPUCores), "core")
	if server.CPULimitMillicores == 0 {
		return all
	}
	return fmt.Sprintf("CPU limit %g of %s", float64(server.CPULimitMillicores)/1000, all)
}

// product is the database that a server is. Reports that do not say so are of a time when there was one.
func product(server reportv1.Server) string {
	return cmp.Or(server.Product, reportv1.ProductMongoDB)
}

// flushesBySettings says whether settings of the server decide what an acknowledged write has survived, rather than a
// write concern.
func flushesBySettings(server reportv1.Server) bool {
	return catalogue.Named(server.Product).Traits().FlushesBySettings
}

// durabilityLine is what an acknowledged write has survived, by which settings of the server where it decides, and what
// bringing it to the disk costs. It is empty when nothing is known.
func durabilityLine(server reportv1.Server) string {
	var parts []string
	if server.Durability != "" {
		parts = append(parts, server.Durability)
	}
	if flushesBySettings(server) && server.DefaultWriteConcern != "" {
		parts = append(parts, server.DefaultWriteConcern)
	}
	if server.SyncMicros != (reportv1.SyncMicros{}) {
		parts = append(parts, fmt.Sprintf("a sync of the disk takes %s, p99 %s",
			present.Micros(server.SyncMicros.P50), present.Micros(server.SyncMicros.P99)))
	}
	return strings.Join(parts, ", ")
}

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
