package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/collect"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
)

// Environment variables of a load pod.
const (
	namespaceVariable = "POD_NAMESPACE"
	indexVariable     = "JOB_COMPLETION_INDEX"
	podUIDVariable    = "MONGOBENCH_POD_UID"
)

// podFlags are what the command line says of the run that a pod is a part of.
type podFlags struct {
	plan, gate, podPrefix string
	merged, collected     string
	patience              time.Duration
}

// podFlagNames are those that a pod is given all together.
var podFlagNames = []string{
	"plan", "gate-configmap", "pod-configmap-prefix", "report-configmap", "collected-configmap",
}

func (m *podFlags) register(set *pflag.FlagSet) {
	set.StringVar(&m.plan, "plan", "", "file with a compiled plan, in a load pod")
	set.StringVar(&m.gate, "gate-configmap", "",
		"ConfigMap that says when steps start and when to collect the reports, in a load pod")
	set.StringVar(&m.podPrefix, "pod-configmap-prefix", "", "prefix of the names of the pods' own ConfigMaps")
	set.StringVar(&m.merged, "report-configmap", "", "ConfigMap to store the merged report in")
	set.StringVar(&m.collected, "collected-configmap", "",
		"ConfigMap in which to tell the operator what the merged report comes to")
	set.DurationVar(&m.patience, "gate-timeout", time.Hour, "how long to wait for the other load pods")
}

// joined is a run that a pod takes part in.
type joined struct {
	plan       planv1.Plan
	hash       string
	configMaps *kube.ConfigMaps
	gate       *kube.Gate
	reports    *kube.Reports
	log        *slog.Logger
}

func (m *podFlags) join() (joined, error) {
	encoded, err := os.ReadFile(m.plan)
	if err != nil {
		return joined{}, fmt.Errorf("reading the plan: %w", err)
	}
	plan, err := planv1.Decode(encoded)
	if err != nil {
		return joined{}, skewError{err}
	}
	configMaps, err := kube.InCluster(os.Getenv(namespaceVariable))
	if err != nil {
		return joined{}, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	return joined{
		plan: plan, hash: planv1.Hash(encoded), configMaps: configMaps, log: log,
		gate: &kube.Gate{ConfigMaps: configMaps, Name: m.gate, Patience: m.patience},
		reports: &kube.Reports{
			ConfigMaps: configMaps, PodPrefix: m.podPrefix, Merged: m.merged, Collected: m.collected, Log: log,
		},
	}, nil
}

// collect waits until the operator asks for the reports of all load pods, and does what it asks for.
func (j joined) collect(ctx context.Context) error {
	order, err := j.gate.Order(ctx)
	if err != nil {
		return err
	}
	return collect.Collector{
		Source: j.reports, Store: j.reports, Teller: j.reports, Pods: j.plan.Pods, PlanHash: j.hash,
	}.Collect(ctx, order)
}

// collectCommand is for a run whose load pod 0 is gone, which would have done it.
func collectCommand() *cobra.Command {
	of := &podFlags{}
	command := newCommand("collect", "Merge and store the reports of the load pods of a run, in a pod of the run",
		func(ctx context.Context, _ io.Writer) error {
			in, err := of.join()
			if err != nil {
				return err
			}
			return in.collect(ctx)
		})
	of.register(command.Flags())
	require(command, podFlagNames...)
	return command
}

// podIndex is this pod's place among the pods of the Job.
func podIndex(pods int) (int, error) {
	text := os.Getenv(indexVariable)
	if text == "" && pods == 1 {
		return 0, nil
	}
	index, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("environment variable %s: %w", indexVariable, err)
	}
	if index < 0 || index >= pods {
		return 0, errors.New("environment variable " + indexVariable + " is " + text + ", and the plan has " +
			strconv.Itoa(pods) + " pods")
	}
	return index, nil
}
