package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// completionTime is how long a shell waits for names.
const completionTime = 5 * time.Second

// names completes the names of objects of some kinds that were not given yet.
func (t *tool) names(kinds ...cluster.Kind) cobra.CompletionFunc {
	return func(command *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		connected, err := cluster.Connect(t.flags)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		ctx, cancel := context.WithTimeout(command.Context(), completionTime)
		defer cancel()
		found, err := namesOf(ctx, connected, kinds)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		left := slices.DeleteFunc(found, func(name string) bool { return slices.Contains(given, name) })
		return left, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOf are the names in the namespace; one that two kinds have comes with its kind before it.
func namesOf(ctx context.Context, c *cluster.Cluster, kinds []cluster.Kind) ([]string, error) {
	of := map[string][]cluster.Kind{}
	for _, kind := range kinds {
		list := kind.List()
		if err := c.List(ctx, list, c.Namespace); err != nil {
			return nil, err
		}
		err := apimeta.EachListItem(list, func(item runtime.Object) error {
			object, err := apimeta.Accessor(item)
			if err == nil {
				of[object.GetName()] = append(of[object.GetName()], kind)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var names []string
	for name, kinds := range of {
		for _, kind := range kinds {
			if len(kinds) > 1 {
				names = append(names, string(kind)+"/"+name)
			} else {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
