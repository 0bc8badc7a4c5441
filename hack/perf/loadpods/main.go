package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/collect"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
)

// patience is how long a pod waits for the others.
const patience = time.Hour

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "loadpods:", err)
		os.Exit(1)
	}
}

// pods are what all of them are told.
type pods struct {
	kubeconfig, namespace, uri, planFile     string
	gate, prefix, merged, collected, runName string

	config *rest.Config
	plan   planv1.Plan
	hash   string
	log    *slog.Logger
}

func run(ctx context.Context) error {
	p := pods{log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	for name, text := range map[string]*string{
		"kubeconfig": &p.kubeconfig, "namespace": &p.namespace, "uri": &p.uri, "plan": &p.planFile,
		"gate-configmap": &p.gate, "pod-configmap-prefix": &p.prefix, "report-configmap": &p.merged,
		"collected-configmap": &p.collected, "run-name": &p.runName,
	} {
		flag.StringVar(text, name, "", "as loadgen run has it")
	}
	flag.Parse()
	encoded, err := os.ReadFile(p.planFile)
	if err != nil {
		return err
	}
	if p.plan, err = planv1.Decode(encoded); err != nil {
		return err
	}
	p.hash = planv1.Hash(encoded)
	if p.config, err = clientcmd.BuildConfigFromFlags("", p.kubeconfig); err != nil {
		return err
	}
	group, working := errgroup.WithContext(ctx)
	for index := range p.plan.Pods {
		group.Go(func() error {
			if err := p.follow(working, index); err != nil {
				return fmt.Errorf("load pod %d: %w", index, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// follow does what `loadgen run` does in a load pod.
func (p pods) follow(ctx context.Context, index int) error {
	configMaps, err := kube.For(p.config, p.namespace)
	if err != nil {
		return err
	}
	target, err := mongo.Open(ctx, mongo.Config{URIs: []string{p.uri}, Connections: engine.Connections(p.plan, index)})
	if err != nil {
		return err
	}
	defer func() { _ = target.Close(context.WithoutCancel(ctx)) }()
	gate := &kube.Gate{ConfigMaps: configMaps, Name: p.gate, Patience: patience}
	follower := &engine.Engine{
		Plan: p.plan, PlanHash: p.hash, Pod: index, Target: target, Gate: gate, Operated: true,
		Reporter: &kube.Reporter{ConfigMaps: configMaps, Name: p.prefix + strconv.Itoa(index)},
		RunName:  p.runName, Version: "perf", Log: p.log,
	}
	if index == 0 {
		follower.Finish = func(ctx context.Context) error { return p.collect(ctx, gate) }
	}
	_, err = follower.Run(ctx)
	return err
}

// collect is what load pod 0 does when all have ended.
func (p pods) collect(ctx context.Context, gate *kube.Gate) error {
	order, err := gate.Order(ctx)
	if err != nil {
		return err
	}
	reports := &kube.Reports{
		ConfigMaps: gate.ConfigMaps, PodPrefix: p.prefix, Merged: p.merged, Collected: p.collected, Log: p.log,
	}
	return collect.Collector{
		Source: reports, Store: reports, Teller: reports, Pods: p.plan.Pods, PlanHash: p.hash,
	}.Collect(ctx, order)
}
