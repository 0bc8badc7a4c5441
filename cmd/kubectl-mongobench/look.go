package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
)

// listing is what ls is asked for.
type listing struct {
	*tool
	print *genericclioptions.PrintFlags
	all   bool
}

func (t *tool) lsCommand() *cobra.Command {
	l := &listing{tool: t, print: genericclioptions.NewPrintFlags("")}
	command := t.inCluster("ls [runs|suites|targets]...", "List runs, suites and targets", cobra.ArbitraryArgs, nil,
		l.list)
	command.ValidArgs = []string{"runs", "suites", "targets"}
	l.print.AddFlags(command)
	command.Flags().BoolVarP(&l.all, "all-namespaces", "A", false, "list objects in all namespaces")
	return command
}

func (l *listing) list(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	if len(arguments) == 0 {
		arguments = []string{"runs", "suites", "targets"}
	}
	namespace := c.Namespace
	if l.all {
		namespace = ""
	}
	lists := make([]client.ObjectList, 0, len(arguments))
	for _, argument := range arguments {
		kind, err := cluster.ParseKind(argument)
		if err != nil {
			return err
		}
		list := kind.List()
		if err := c.List(ctx, list, namespace); err != nil {
			return err
		}
		lists = append(lists, list)
	}
	if l.print.OutputFormat != nil && *l.print.OutputFormat != "" {
		return l.printObjects(c.Client.Scheme(), lists)
	}
	return l.printTables(lists, namespace)
}

// printObjects writes all lists as one, in a format of kubectl's.
func (l *listing) printObjects(scheme *runtime.Scheme, lists []client.ObjectList) error {
	printer, err := l.print.WithTypeSetter(scheme).ToPrinter()
	if err != nil {
		return fmt.Errorf("%w: %w", cluster.ErrUsage, err)
	}
	all := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, list := range lists {
		err := apimeta.EachListItem(list, func(item runtime.Object) error {
			kind, err := apiutil.GVKForObject(item, scheme)
			if err != nil {
				return err
			}
			item.GetObjectKind().SetGroupVersionKind(kind)
			content, err := benchv1alpha1.ToUnstructured(item)
			all.Items = append(all.Items, unstructured.Unstructured{Object: content})
			return err
		})
		if err != nil {
			return fmt.Errorf("listing: %w", err)
		}
	}
	return printer.PrintObj(all, l.Out)
}

// printTables writes a table for each kind of which there is anything.
func (l *listing) printTables(lists []client.ObjectList, namespace string) error {
	tables := show.List{Paint: l.paint(), Namespaces: l.all, Now: l.now()}
	lists = slices.DeleteFunc(lists, func(list client.ObjectList) bool { return apimeta.LenList(list) == 0 })
	if len(lists) == 0 {
		place := "any namespace"
		if namespace != "" {
			place = "namespace " + namespace
		}
		_, _ = fmt.Fprintf(l.ErrOut, "nothing found in %s\n", place)
	}
	var failures error
	for i, list := range lists {
		if i > 0 {
			_, _ = io.WriteString(l.Out, "\n")
		}
		switch found := list.(type) {
		case *benchv1alpha1.BenchmarkRunList:
			failures = errors.Join(failures, tables.Runs(l.Out, found.Items))
		case *benchv1alpha1.BenchmarkSuiteList:
			failures = errors.Join(failures, tables.Suites(l.Out, found.Items))
		case *benchv1alpha1.BenchmarkTargetList:
			failures = errors.Join(failures, tables.Targets(l.Out, found.Items))
		}
	}
	return failures
}

func (t *tool) describeCommand() *cobra.Command {
	return t.inCluster("describe RUN|SUITE", "Show conditions, stages and results", cobra.ExactArgs(1), runsAndSuites,
		t.describe)
}

func (t *tool) describe(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	found, err := c.Find(ctx, arguments[0], runsAndSuites...)
	if err != nil {
		return err
	}
	if suite, ok := found.(*benchv1alpha1.BenchmarkSuite); ok {
		return show.Suite(t.Out, t.paint(), suite)
	}
	run, _ := found.(*benchv1alpha1.BenchmarkRun)
	return show.Run(t.Out, t.paint(), run)
}

// allRoles in the order in which their logs are written.
var allRoles = []string{
	string(cluster.Load), string(cluster.Gateway), string(cluster.Topology), string(cluster.Members),
}

// logging is what logs is asked for.
type logging struct {
	*tool
	options cluster.LogOptions
	roles   []string
}

func (t *tool) logsCommand() *cobra.Command {
	l := &logging{tool: t}
	command := t.inCluster("logs RUN", "Print the logs of all pods of a run, by role", cobra.ExactArgs(1),
		[]cluster.Kind{cluster.Run}, l.logs)
	flags := command.Flags()
	flags.BoolVarP(&l.options.Follow, "follow", "f", false, "follow the pods that exist now until they end")
	flags.Int64Var(&l.options.Tail, "tail", -1, "lines from the end of each log; -1 for all")
	flags.StringSliceVar(&l.roles, "role", allRoles, "roles of the pods: load, gateway, topology, members")
	return command
}

func (l *logging) logs(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	roles := make([]cluster.Role, 0, len(l.roles))
	for _, role := range l.roles {
		if !slices.Contains(allRoles, role) {
			return fmt.Errorf("%w: --role %s: it is none of load, gateway, topology and members", cluster.ErrUsage, role)
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
