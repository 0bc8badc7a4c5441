package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// writeComparison prints what each run measured, a line for every operation.
func writeComparison(to io.Writer, runs []*benchv1alpha1.BenchmarkRun) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	// What cannot be written shows when the table is flushed.
	row := func(format string, values ...any) { _, _ = fmt.Fprintf(table, format+"\n", values...) }
	row("\nall runs\nrun\tload, documents/s\tstep\toperation\tcount\terrors\tops/s\tp50\tp99\tfirst document, p50")
	for _, run := range runs {
		if run.Status.Result == nil {
			row("%s\tfailed", run.Name)
			continue
		}
		loaded := "-"
		if load := run.Status.Result.Load; load != nil {
			loaded = strconv.FormatInt(ptr.Deref(load.DocumentsPerSecond, 0), 10)
		}
		for _, step := range run.Status.Result.Steps {
			for _, operation := range step.Operations {
				row("%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s", run.Name, loaded, step.Name, operation.Name,
					ptr.Deref(operation.Count, 0), ptr.Deref(operation.Errors, 0), ptr.Deref(operation.OperationsPerSecond, 0),
					micros(operation.P50Micros), micros(operation.P99Micros), micros(operation.FirstDocumentP50Micros))
			}
		}
	}
	return table.Flush()
}

func micros(value *int64) string {
	if value == nil {
		return "-"
	}
	return (time.Duration(*value) * time.Microsecond).String()
}
