package main

import (
	"context"
	"errors"
	"time"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/up"
)

// onNode makes a command of what works on the node that its one argument names, while nobody else changes the cluster.
func onNode(
	run func(ctx context.Context, s settings, c plan.Cluster, node string) error,
) func(ctx context.Context, s settings, c plan.Cluster, args []string) error {
	return func(ctx context.Context, s settings, c plan.Cluster, args []string) error {
		if len(args) != 1 {
			return errors.New("the name of one node is needed, such as node2")
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		release, err := assets.Lock(ctx, plan.LockFile(s.cache, s.state))
		if err != nil {
			return err
		}
		defer release()
		return run(ctx, s, c, args[0])
	}
}

func runStopNode(ctx context.Context, s settings, c plan.Cluster, node string) error {
	if err := up.StopNode(ctx, c, node); err != nil {
		return err
	}
	s.say("%s is without power", node)
	return nil
}

func runStartNode(ctx context.Context, s settings, c plan.Cluster, node string) error {
	options := up.Options{State: s.state, Cache: s.cache, NodeCount: c.NodeCount, Say: s.say}
	if err := up.StartNode(ctx, options, c, node); err != nil {
		return err
	}
	s.say("%s is ready", node)
	return nil
}

// onProcess makes a command of what is done to the process of the control plane that its one argument names.
func onProcess(
	do func(c plan.Cluster, process string) error,
) func(ctx context.Context, s settings, c plan.Cluster, args []string) error {
	return func(_ context.Context, _ settings, c plan.Cluster, args []string) error {
		if len(args) != 1 {
			return errors.New("the name of one process is needed, such as kube-apiserver")
		}
		return do(c, args[0])
	}
}
