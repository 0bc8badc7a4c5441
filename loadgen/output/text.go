package output

import (
	"fmt"
	"io"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// hashDigits is how much of a plan's hash is shown to people.
const hashDigits = 12

// Text writes a report as tables.
func Text(to io.Writer, report reportv1.Report) error {
	return write(to, report, &layout{})
}

// Markdown writes the same as Text, as a pull request shows it, under a title.
func Markdown(to io.Writer, title string, report reportv1.Report) error {
	whole := &layout{markdown: true}
	fmt.Fprintf(&whole.text, "## %s\n", title)
	return write(to, report, whole)
}

func write(to io.Writer, report reportv1.Report, whole *layout) error {
	run, err := Look("", report)
	if err != nil {
		return err
	}
	whole.facts(Head(run))
	for _, step := range run.Summary.Steps {
		writeStep(whole, run, step)
	}
	for _, sweep := range run.Summary.Sweeps {
		table := Sweep("", sweep)
		whole.heading("%s", table.Caption)
		whole.table(table)
	}
	writeGrowth(whole, run.Summary.Growth)
	writeTrust(whole, run.Doubts, len(run.Summary.Steps))
	_, err = io.WriteString(to, whole.text.String())
	return err
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
	if server.CPULimitMillis == 0 {
		return all
	}
	return fmt.Sprintf("CPU limit %g of %s", float64(server.CPULimitMillis)/1000, all)
}

// writeTrust says whether the numbers may be believed.
func writeTrust(whole *layout, doubts []result.Doubt, steps int) {
	switch {
	case steps == 0:
		whole.heading("Trusted: nothing was measured")
	case len(doubts) == 0:
		whole.heading("Trusted: yes, no check found a reason for doubt")
	default:
		whole.heading("Trusted: no")
	}
	for _, doubt := range doubts {
		whole.item("%s: %s", doubt.Reason, doubt.Message)
	}
}
