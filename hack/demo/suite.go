package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

const (
	kindSuite = "BenchmarkSuite"
	// stillness is how long a suite may stay as it is before it is given up: longer than a run may take.
	stillness = 45 * time.Minute
)

// showSuite shows a suite from its creation until it is complete, and keeps its tables.
func (d *demo) showSuite(ctx context.Context, suite *unstructured.Unstructured, folder string) error {
	d.began = time.Now()
	if err := d.apply(ctx, suite); err != nil {
		return err
	}
	complete, err := d.followSuite(ctx, keyOf(suite))
	if err != nil {
		return err
	}
	if err := writeSuite(d.out, complete); err != nil {
		return err
	}
	if err := d.keepTables(ctx, complete, filepath.Join(folder, complete.Name)); err != nil {
		return err
	}
	if complete.Status.Result != nil {
		if err := d.writePages(ctx, keyOf(suite), filepath.Join(folder, complete.Name)); err != nil {
			return err
		}
	}
	if counts := complete.Status.Runs; counts == nil || ptr.Deref(counts.Succeeded, 0) < ptr.Deref(counts.Planned, 0) {
		return errTold
	}
	return nil
}

// followSuite shows how many runs have ended, and where the others are, until the suite is complete.
func (d *demo) followSuite(ctx context.Context, key types.NamespacedName) (*benchv1alpha1.BenchmarkSuite, error) {
	defer d.screen.clear()
	ticker := time.NewTicker(pollPeriod)
	defer ticker.Stop()
	suite, last, moved := &benchv1alpha1.BenchmarkSuite{}, "", time.Now()
	for {
		err := d.client.Get(ctx, key, suite)
		switch {
		case apierrors.IsNotFound(err):
			return nil, fmt.Errorf("%s %s was deleted by somebody before it was complete", kindSuite, key.Name)
		case err == nil && suiteEnded(suite):
			return suite, nil
		case err == nil:
			if now := d.suiteLine(ctx, suite); now != last {
				last, moved = now, time.Now()
				d.screen.write(fmt.Sprintf("%6.0f s  %s", time.Since(d.began).Seconds(), now))
			}
		}
		if time.Since(moved) > stillness {
			return nil, fmt.Errorf("%w: nothing has changed for %s; last seen: %s", errTimedOut, stillness, last)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted; %s %s goes on in namespace %s, if its cluster does",
				kindSuite, key.Name, key.Namespace)
		case <-ticker.C:
		}
	}
}

// suiteEnded says whether nothing more will be done: the suite is complete, or it was refused.
func suiteEnded(suite *benchv1alpha1.BenchmarkSuite) bool {
	return apimeta.IsStatusConditionTrue(suite.Status.Conditions, benchv1alpha1.SuiteComplete) ||
		apimeta.IsStatusConditionFalse(suite.Status.Conditions, benchv1alpha1.SuiteAccepted)
}

// suiteLine is how far a suite has come, on one line.
func (d *demo) suiteLine(ctx context.Context, declared *benchv1alpha1.BenchmarkSuite) string {
	counts := declared.Status.Runs
	if counts == nil {
		return "waiting for the operator"
	}
	text := fmt.Sprintf("%d of %d runs have ended, %d without a result",
		ptr.Deref(counts.Succeeded, 0)+ptr.Deref(counts.Failed, 0), ptr.Deref(counts.Planned, 0), ptr.Deref(counts.Failed, 0))
	var runs benchv1alpha1.BenchmarkRunList
	err := d.client.List(ctx, &runs, client.InNamespace(declared.Namespace),
		client.MatchingLabels{suite.Label: declared.Name})
	if err != nil {
		return text
	}
	parts := []string{text}
	for i := range runs.Items {
		if run := &runs.Items[i]; !hasVerdict(run) {
			parts = append(parts, run.Name+": "+stageOf(run))
		}
	}
	return strings.Join(parts, "; ")
}

// writeSuite prints what the variants came to, and how they compare.
func writeSuite(to io.Writer, suite *benchv1alpha1.BenchmarkSuite) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	row := func(format string, values ...any) { _, _ = fmt.Fprintf(table, format+"\n", values...) }
	row("\nrevision %s\nvariant\truns\tfailed\tops/s\tp99", suite.Status.Revision)
	for _, variant := range suite.Status.Variants {
		row("%s\t%d\t%d\t%s\t%s", variant.Name, ptr.Deref(variant.Succeeded, 0), ptr.Deref(variant.Failed, 0),
			count(variant.OperationsPerSecond), micros(variant.P99Micros))
	}
	if len(suite.Status.Comparison) > 0 {
		row("\nvariant\tagainst\tmetric\tstep\toperation\tbaseline\tmedian\tchange\tverdict")
	}
	for _, line := range suite.Status.Comparison {
		row("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", line.Variant, line.Baseline, line.Metric, line.Step, line.Operation,
			count(line.BaselineMedian), count(line.Median), change(line.EffectBasisPoints), line.Verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, name := range []string{
		benchv1alpha1.SuiteAccepted, benchv1alpha1.SuiteComplete, benchv1alpha1.SuiteRegressed,
	} {
		if c := apimeta.FindStatusCondition(suite.Status.Conditions, name); c != nil && c.Status != metav1.ConditionTrue ||
			c != nil && name != benchv1alpha1.SuiteAccepted {
			if _, err := fmt.Fprintf(to, "\n%s: %s, %s: %s\n", name, c.Status, c.Reason, c.Message); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepTables writes the tables of the suite's result into a folder.
func (d *demo) keepTables(ctx context.Context, suite *benchv1alpha1.BenchmarkSuite, folder string) error {
	if suite.Status.Result == nil {
		return nil
	}
	result := &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: suite.Namespace, Name: suite.Status.Result.ConfigMapName}
	if err := d.client.Get(ctx, key, result); err != nil {
		return fmt.Errorf("reading the result of the suite: %w", err)
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making a folder for the tables: %w", err)
	}
	names := make([]string, 0, len(result.Data))
	for name, content := range result.Data {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			return fmt.Errorf("keeping a table: %w", err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	d.say("\n%s are in %s", strings.Join(names, ", "), folder)
	return nil
}

func count(value *int64) string {
	if value == nil {
		return "-"
	}
	return strconv.FormatInt(*value, 10)
}

// change writes hundredths of a percent.
func change(basisPoints *int64) string {
	if basisPoints == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", float64(*basisPoints)/100)
}
