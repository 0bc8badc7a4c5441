package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// allRoles in the order in which their logs are written.
var allRoles = []string{string(cluster.Load), string(cluster.Topology), string(cluster.Members)}

// logging is what logs is asked for.
type logging struct {
	*tool
	options cluster.LogOptions
	roles   []string
}

func (t *tool) logsCommand() *cobra.Command {
	l := &logging{tool: t}
	command := t.inCluster("logs RUN", "Print the logs of all pods of a run, by role", cobra.ExactArgs(1), l.logs)
	command.ValidArgsFunction = t.names(cluster.Run)
	flags := command.Flags()
	flags.BoolVarP(&l.options.Follow, "follow", "f", false, "follow the pods that exist now until they end")
	flags.Int64Var(&l.options.Tail, "tail", -1, "lines from the end of each log; -1 for all")
	flags.StringSliceVar(&l.roles, "role", allRoles, "roles of the pods: load, topology, members")
	return command
}

func (l *logging) logs(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	roles := make([]cluster.Role, 0, len(l.roles))
	for _, role := range l.roles {
		if !slices.Contains(allRoles, role) {
			return fmt.Errorf("%w: --role %s: it is none of load, topology and members", cluster.ErrUsage, role)
		}
		roles = append(roles, cluster.Role(role))
	}
	run, err := c.FindRun(ctx, arguments[0])
	if err != nil {
		return err
	}
	pods, err := c.RunPods(ctx, run, roles)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("run %s has no pods of these roles: they are not there yet, or were removed at the end; "+
			"cleanupPolicy: KeepOnFailure keeps those of a run that fails", run.Name)
	}
	return c.Logs(ctx, pods, l.options, l.Out)
}
