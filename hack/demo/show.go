package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// showResult prints the stored report, and writes it in every form into a folder.
func (d *demo) showResult(ctx context.Context, run *benchv1alpha1.BenchmarkRun, folder string) error {
	if run.Status.Result == nil {
		return fmt.Errorf("run %s succeeded without a result in its status: this is a defect of the operator", run.Name)
	}
	reference := run.Status.Result.Report
	stored := &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: run.Namespace, Name: reference.ConfigMapName}
	if err := d.client.Get(ctx, key, stored); err != nil {
		return fmt.Errorf("reading the report of run %s: %w", run.Name, err)
	}
	report, err := decode(stored, reference)
	if err != nil {
		return err
	}
	d.say("")
	if err := output.Text(d.out, report); err != nil {
		return err
	}
	if err := save(folder, report); err != nil {
		return err
	}
	d.say("\nreport.txt, report.json and report.csv are in %s", folder)
	if first := firstMeasured(report); !first.IsZero() {
		d.say("from apply to the first measured operation: %.1f s", first.Sub(d.began).Seconds())
	}
	return nil
}

// decode reads a stored report, and refuses one that is not what the status speaks of.
func decode(stored *corev1.ConfigMap, reference benchv1alpha1.ReportReference) (reportv1alpha1.Report, error) {
	encoded := stored.BinaryData[reportv1alpha1.ReportKey]
	sum := sha256.Sum256(encoded)
	if hex.EncodeToString(sum[:]) != reference.SHA256 {
		return reportv1alpha1.Report{}, fmt.Errorf(
			"ConfigMap %s does not hold the report that the status tells of: its SHA-256 is another", stored.Name)
	}
	return reportv1alpha1.Decode(encoded)
}

func firstMeasured(report reportv1alpha1.Report) time.Time {
	for _, step := range report.Steps {
		if step.Kind == "Measure" {
			return step.MeasureStart
		}
	}
	return time.Time{}
}

func save(folder string, report reportv1alpha1.Report) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making the folder of the results: %w", err)
	}
	forms := map[string]func(io.Writer, reportv1alpha1.Report) error{
		"report.txt": output.Text, "report.json": output.JSON, "report.csv": output.CSV,
	}
	var failures error
	for name, write := range forms {
		if err := writeFile(filepath.Join(folder, name), report, write); err != nil {
			failures = errors.Join(failures, fmt.Errorf("writing %s: %w", name, err))
		}
	}
	return failures
}

func writeFile(
	path string, report reportv1alpha1.Report, write func(io.Writer, reportv1alpha1.Report) error,
) error {
	target, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(target, report)
	return errors.Join(err, target.Close())
}

// writeStages prints how long each stage took. Only warm-ups and measurements overlap, when steps alternate.
func writeStages(to io.Writer, run *benchv1alpha1.BenchmarkRun) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	// What cannot be written shows when the table is flushed.
	row := func(format string, values ...any) { _, _ = fmt.Fprintf(table, format+"\t\n", values...) }
	row("\nstage\tbegan at\ttook")
	var first, last time.Time
	for _, stage := range run.Status.Stages {
		if first.IsZero() {
			first = stage.StartTime.Time
		}
		took := "not ended"
		if stage.CompletionTime != nil {
			last = stage.CompletionTime.Time
			took = fmt.Sprintf("%.1f s", last.Sub(stage.StartTime.Time).Seconds())
		}
		row("%s\t%.1f s\t%s", stage.Name, stage.StartTime.Sub(first).Seconds(), took)
	}
	row("all\t\t%.1f s", max(0, last.Sub(first).Seconds()))
	return table.Flush()
}

// failure is why a run failed, and what to do about it.
func failure(run *benchv1alpha1.BenchmarkRun) string {
	text := conditions(run)
	if verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded); verdict != nil {
		text += "\nwhat to do: " + advice(verdict.Reason)
	}
	return text
}

// conditions are a line each.
func conditions(run *benchv1alpha1.BenchmarkRun) string {
	var lines []string
	for _, condition := range run.Status.Conditions {
		if condition.Type == benchv1alpha1.RunTrusted && condition.Status == metav1.ConditionUnknown {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %s=%s (%s): %s", condition.Type, condition.Status, condition.Reason,
			condition.Message))
	}
	return strings.Join(lines, "\n")
}

// advices are what to do about each reason for which a run fails.
var advices = map[string]string{
	benchv1alpha1.ReasonInvalid: "mend the field that the message begins with, and apply the file again",
	benchv1alpha1.ReasonTargetNotFound: "create the BenchmarkTarget that spec.targetRef names, or declare one in " +
		"spec.target",
	benchv1alpha1.ReasonTargetFailed: "mend what the message says of the target, or raise its provisioningSeconds",
	benchv1alpha1.ReasonCancelled:    "somebody set spec.cancel; create another BenchmarkRun",
	benchv1alpha1.ReasonTargetLost:   "find out who deleted or restarted the target's pods (kubectl get events)",
	benchv1alpha1.ReasonLoadPodFailed: "the message is the load generator's own; set cleanupPolicy: KeepOnFailure to " +
		"keep the pod and its log",
	benchv1alpha1.ReasonLoadPodLost:   "find out who deleted the load pod, or why its node gave it up: kubectl get events",
	benchv1alpha1.ReasonReportMissing: "set cleanupPolicy: KeepOnFailure and look at the log of the load pod",
	benchv1alpha1.ReasonUnschedulable: "lower spec.target.resources or spec.loadGenerator.resources, or add a node; " +
		"in a local cluster NODES=2 does not add CPU",
	benchv1alpha1.ReasonImagePull: "load the image into the cluster (make images), or mend its name and pull secrets",
	benchv1alpha1.ReasonOOMKilled: "raise the memory limit of the container that the message names: " +
		"spec.target.resources.memory or spec.loadGenerator.resources.memory",
	benchv1alpha1.ReasonQuotaExceeded: "raise the namespace's ResourceQuota or LimitRange, or ask for less",
	benchv1alpha1.ReasonForbidden:     "mend the admission policy that the message names",
	benchv1alpha1.ReasonConfigError:   "create the Secret or ConfigMap that the message names",
	benchv1alpha1.ReasonNodeLost:      "see what became of the node (kubectl get nodes)",
	benchv1alpha1.ReasonCrashed:       "set cleanupPolicy: KeepOnFailure and look at the log of the container",
	benchv1alpha1.ReasonDeadlineExceeded: "see in the message what the stage was busy with; raise the deadline that it " +
		"names if that was only slow",
}

func advice(reason string) string {
	if known, ok := advices[reason]; ok {
		return known
	}
	return "see the message above; KEEP=1 keeps the cluster for a look around"
}
