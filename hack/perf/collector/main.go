package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"k8s.io/client-go/tools/clientcmd"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/collect"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	namespace := flag.String("namespace", "", "namespace of the ConfigMaps")
	name := flag.String("run", "", "name of the run that they are of")
	pods := flag.Int("pods", 1, "number of load pods")
	hash := flag.String("plan-hash", "", "hash of the plan")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	configMaps, err := kube.For(config, *namespace)
	if err != nil {
		return err
	}
	reports := &kube.Reports{
		ConfigMaps: configMaps, PodPrefix: *name + "-pod-", Merged: *name + "-report", Collected: *name + "-collected",
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	return collect.Collector{
		Source: reports, Store: reports, Teller: reports, Pods: *pods, PlanHash: *hash,
	}.Collect(ctx, reportv1.CollectOrder{})
}
