package page

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// factsOf is what was run, and on what.
func factsOf(run output.Run) []present.Fact {
	report := run.Report
	facts, server := output.Head(run), report.Server
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, present.Fact{Name: name, Text: text})
		}
	}
	add("Persistence", persistence(server))
	add("Shards", shards(server))
	add("TLS", server.TLS)
	add("Server build", server.GitVersion)
	facts = append(facts, run.Facts...)
	add("Steps", stepNames(report.Steps))
	if len(report.Steps) > 0 {
		add("Began", report.Steps[0].Start.UTC().Format("2006-01-02 15:04:05 UTC"))
		end := report.Steps[len(report.Steps)-1].End
		add("Lasted", present.Millis(end.Sub(report.Steps[0].Start).Milliseconds()))
	}
	add("Plan", report.PlanHash)
	return facts
}

// persistence is what is left of the data when servers stop, and what a write that names no concern waits for.
func persistence(server reportv1.Server) string {
	var parts []string
	switch server.Persistence {
	case "":
	case "Transient":
		parts = append(parts, "nothing is kept on disk (Transient)")
	default:
		parts = append(parts, "kept on disk ("+server.Persistence+")")
	}
	if server.DefaultWriteConcern != "" && server.Product != reportv1.ProductMariaDB {
		parts = append(parts, "default write concern "+server.DefaultWriteConcern)
	}
	return strings.Join(parts, ", ")
}

func shards(server reportv1.Server) string {
	if server.Shards == 0 {
		return ""
	}
	if server.Router == "" {
		return present.Count(int64(server.Shards))
	}
	return fmt.Sprintf("%d, requests go through: %s", server.Shards, server.Router)
}

// mostNames is how many names a list of facts shows.
const mostNames = 12

func stepNames(steps []reportv1.Step) string {
	names := make([]string, 0, len(steps))
	for _, step := range steps {
		names = append(names, fmt.Sprintf("%s (%s)", step.Name, step.Kind))
	}
	if left := len(names) - mostNames; left > 0 {
		names = append(names[:mostNames], fmt.Sprintf("and %d more", left))
	}
	return strings.Join(names, ", ")
}

// trustOf is the words of the text form.
func trustOf(run output.Run) Trust {
	switch {
	case len(run.Summary.Steps) == 0:
		return Trust{Verdict: "nothing", Text: "Trusted: nothing was measured"}
	case len(run.Doubts) == 0:
		return Trust{Verdict: "yes", Text: "Trusted: yes, no check found a reason for doubt"}
	default:
		return Trust{Verdict: "no", Text: "Trusted: no", Doubts: run.Doubts}
	}
}

// sideBySide has a line for each fact and a column for each run.
func sideBySide(runs []Run) *present.Table {
	table := &present.Table{
		Caption: "What the runs have in common, and what not",
		Columns: present.Columns("fact", "differs"),
	}
	var names []string
	for _, run := range runs {
		table.Columns = append(table.Columns, present.Column{Name: run.Name, Wrap: true})
		for _, fact := range run.Facts {
			if !slices.Contains(names, fact.Name) {
				names = append(names, fact.Name)
			}
		}
	}
	for _, name := range names {
		row, differs := make([]present.Cell, 0, len(runs)), ""
		for _, run := range runs {
			said := factNamed(run.Facts, name)
			if said != factNamed(runs[0].Facts, name) {
				differs = "differs"
			}
			row = append(row, present.Text(said))
		}
		table.Rows = append(table.Rows, append([]present.Cell{present.Text(name), present.Text(differs)}, row...))
	}
	return table
}

// factNamed is what is said under a name, which may be there more than once.
func factNamed(facts []present.Fact, name string) string {
	var said []string
	for _, fact := range facts {
		if fact.Name == name {
			said = append(said, fact.Text)
		}
	}
	return present.Or(strings.Join(said, "; "))
}
