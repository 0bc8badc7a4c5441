package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/doctor"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// examination is what doctor found, as it is written in JSON.
type examination struct {
	Namespace string           `json:"namespace"`
	Findings  []doctor.Finding `json:"findings"`
}

// doctorForms are the forms of what doctor found.
var doctorForms = map[string]func(to io.Writer, found examination) error{
	formText: func(to io.Writer, found examination) error {
		table := present.NewTable([]string{"", "", ""})
		for _, finding := range found.Findings {
			told := finding.Found
			if finding.Do != "" {
				told += ". To do: " + finding.Do
			}
			table.Add(string(finding.Level), finding.Check, told)
		}
		return table.Write(to, false)
	},
	"json": func(to io.Writer, found examination) error { return writeJSON(to, found) },
}

func (t *tool) doctorCommand() *cobra.Command {
	var form string
	command := t.inCluster("doctor", "Check a cluster before you run anything in it", cobra.NoArgs,
		func(ctx context.Context, c *cluster.Cluster, _ []string) error {
			write, err := formOf(doctorForms, form, "what doctor finds")
			if err != nil {
				return err
			}
			seen, err := doctor.Observe(ctx, c.Client, c.Namespace)
			if err != nil {
				return err
			}
			found := examination{Namespace: c.Namespace, Findings: doctor.Examine(seen)}
			if err := write(t.Out, found); err != nil {
				return err
			}
			if doctor.Failed(found.Findings) {
				return errTold
			}
			return nil
		})
	command.Long = `Check a cluster before you run anything in it. Changes nothing.

Each line says ok, warn or fail, what was found, and what to do. What you may not see, and what no finished run has
recorded about a node, is reported as unknown. The exit code is 1 if any check fails.`
	addForm(command, &form, doctorForms, "one of")
	return command
}
