package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
	summary, err := result.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		return fmt.Errorf("judging the report: %w", err)
	}
	whole.facts(Head(report, summary))
	for _, step := range summary.Steps {
		writeStep(whole, step, measured(report, step.Name), report.Members)
	}
	for _, sweep := range summary.Sweeps {
		writeSweep(whole, sweep)
	}
	writeGrowth(whole, summary.Growth)
	writeTrust(whole, doubts, len(summary.Steps))
	_, err = io.WriteString(to, whole.text.String())
	return err
}

// workers are how many threads did a load, and what they sent by, where that is known.
func workers(threads int, client string) string {
	if threads == 0 {
		return ""
	}
	return ", " + plural(int64(threads), "thread") + by(client)
}

// by names what was sent by, where that is known.
func by(client string) string {
	if client == "" {
		return ""
	}
	return " by " + client
}

// measured is the report's step of a summary.
func measured(report reportv1.Report, name string) reportv1.Step {
	for _, step := range report.Steps {
		if step.Name == name {
			return step
		}
	}
	return reportv1.Step{}
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
		parts = append(parts, fmt.Sprintf("cache %s MiB", thousands(server.CacheMebibytes)))
	}
	if server.MemoryLimitMebibytes > 0 {
		parts = append(parts, fmt.Sprintf("memory %s MiB", thousands(server.MemoryLimitMebibytes)))
	}
	if server.CPUCores > 0 {
		parts = append(parts, cores(server))
	}
	if server.DefaultWriteConcern != "" && product(server) == reportv1.ProductMongoDB {
		parts = append(parts, "write concern "+server.DefaultWriteConcern)
	}
	return strings.Join(parts, ", ")
}

// cores are those that a mongod believes it has, and the part of them that it may use where that is known.
func cores(server reportv1.Server) string {
	all := plural(int64(server.CPUCores), "core")
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

// seconds writes a duration for people.
func seconds(millis int64) string {
	duration := time.Duration(millis) * time.Millisecond
	if duration < 10*time.Second {
		return fmt.Sprintf("%.2f s", duration.Seconds())
	}
	return fmt.Sprintf("%.1f s", duration.Seconds())
}

func plural(count int64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return thousands(count) + " " + noun + "s"
}

// size writes a number of bytes with three significant digits or so: 940 B, 1.3 KiB, 38 MiB.
func size(number int64) string {
	if number < 1<<10 {
		return fmt.Sprintf("%d B", number)
	}
	value, unit := float64(number)/(1<<10), 0
	for value >= 1<<10 && unit < len(byteUnits)-1 {
		value, unit = value/(1<<10), unit+1
	}
	if value < 10 {
		return fmt.Sprintf("%.1f %s", value, byteUnits[unit])
	}
	return fmt.Sprintf("%.0f %s", value, byteUnits[unit])
}

var byteUnits = []string{"KiB", "MiB", "GiB", "TiB"}

// share writes a part of a whole in percent.
func share(part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	percent := float64(part) * 100 / float64(whole)
	if percent < 10 {
		return fmt.Sprintf("%.1f %%", percent)
	}
	return fmt.Sprintf("%.0f %%", percent)
}
