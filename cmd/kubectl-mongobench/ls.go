package main

import (
	"context"
	"errors"
	"fmt"
	"io"

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
	command := t.inCluster("ls [runs|suites|targets]...", "List runs, suites and targets", cobra.ArbitraryArgs, l.list)
	command.ValidArgs = []string{"runs", "suites", "targets"}
	l.print.AddFlags(command)
	command.Flags().BoolVarP(&l.all, "all-namespaces", "A", false, "list objects in all namespaces")
	return command
}

func (l *listing) list(ctx context.Context, c *cluster.Cluster, arguments []string) error {
	kinds := []cluster.Kind{cluster.Run, cluster.Suite, cluster.Target}
	if len(arguments) > 0 {
		kinds = nil
	}
	for _, argument := range arguments {
		kind, err := cluster.ParseKind(argument)
		if err != nil {
			return err
		}
		kinds = append(kinds, kind)
	}
	namespace := c.Namespace
	if l.all {
		namespace = ""
	}
	lists := make([]client.ObjectList, 0, len(kinds))
	for _, kind := range kinds {
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
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(item)
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
	written := 0
	var failures error
	for _, list := range lists {
		if apimeta.LenList(list) == 0 {
			continue
		}
		if written > 0 {
			_, _ = io.WriteString(l.Out, "\n")
		}
		written++
		switch found := list.(type) {
		case *benchv1alpha1.BenchmarkRunList:
			failures = errors.Join(failures, tables.Runs(l.Out, found.Items))
		case *benchv1alpha1.BenchmarkSuiteList:
			failures = errors.Join(failures, tables.Suites(l.Out, found.Items))
		case *benchv1alpha1.BenchmarkTargetList:
			failures = errors.Join(failures, tables.Targets(l.Out, found.Items))
		}
	}
	if written == 0 {
		place := "any namespace"
		if namespace != "" {
			place = "namespace " + namespace
		}
		_, _ = fmt.Fprintf(l.ErrOut, "nothing found in %s\n", place)
	}
	return failures
}
