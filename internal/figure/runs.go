package figure

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Totals are the figures of a run over all of its steps.
var Totals = []Row[reportv1.Overview, benchv1alpha1.RunSummary]{
	{
		Metric: "result_steps", Help: "Steps of a run that were measured.",
		Of: func(o *reportv1.Overview) *int64 { return new(int64(o.Steps)) },
		In: in32(func(r *benchv1alpha1.RunSummary) **int32 { return &r.Steps }),
	},
	{
		Metric: "result_operations", Help: "Operations that succeeded, over all steps of a run.",
		Of: func(o *reportv1.Overview) *int64 { return &o.Operations },
		In: in(func(r *benchv1alpha1.RunSummary) **int64 { return &r.Operations }),
	},
	{
		Metric: "result_errors", Help: "Operations that failed, over all steps of a run.",
		Of: func(o *reportv1.Overview) *int64 { return &o.Errors },
		In: in(func(r *benchv1alpha1.RunSummary) **int64 { return &r.Errors }),
	},
}

// Fastest are the figures of the step of a run that has the highest throughput.
var Fastest = []Row[reportv1.StepFigures, benchv1alpha1.RunSummary]{
	{
		Metric: "result_operations_per_second", Help: "Throughput of a run's fastest step: operations that succeeded.",
		Of: func(s *reportv1.StepFigures) *int64 { return &s.OperationsPerSecond },
		In: in(func(r *benchv1alpha1.RunSummary) **int64 { return &r.OperationsPerSecond }),
	},
	{
		Unit: Micros, Metric: "result_latency_p99_seconds",
		Help: "99th percentile of the latency over all operations of a run's fastest step.",
		Of:   shown(stepTimes, "P99Micros"),
		In:   in(func(r *benchv1alpha1.RunSummary) **int64 { return &r.P99Micros }),
	},
}

// Slowest are the figures of the step of a run that has the highest 99th percentile.
var Slowest = []Row[reportv1.StepFigures, benchv1alpha1.RunSummary]{
	{
		Unit: Micros, Metric: "result_highest_latency_p99_seconds",
		Help: "Highest of the 99th percentiles that the steps of a run have, each over all operations of its step.",
		Of:   shown(stepTimes, "P99Micros"),
		In:   in(func(r *benchv1alpha1.RunSummary) **int64 { return &r.HighestP99Micros }),
	},
}

func stepTimes(s *reportv1.StepFigures) *reportv1.TimesSummary { return &s.TimesSummary }

// Results are the figures of a result beside its parts.
var Results = []Row[reportv1.Collected, benchv1alpha1.Result]{
	{
		Metric: "omitted_steps", Help: "Steps, from the first on, that the status leaves out.",
		In: in32(func(r *benchv1alpha1.Result) **int32 { return &r.OmittedSteps }),
	},
}

// Loads are the figures of the loading.
var Loads = []Row[reportv1.LoadSummary, benchv1alpha1.LoadResult]{
	{
		Metric: "load_documents", Help: "Documents that were loaded.",
		Of: func(l *reportv1.LoadSummary) *int64 { return &l.Documents },
		In: in(func(l *benchv1alpha1.LoadResult) **int64 { return &l.Documents }),
	},
	{
		Unit: Millis, Metric: "load_duration_seconds", Help: "How long the loading took.",
		Of: func(l *reportv1.LoadSummary) *int64 { return &l.DurationMillis },
		In: in(func(l *benchv1alpha1.LoadResult) **int64 { return &l.DurationMillis }),
	},
	{
		Unit: PerSecond, Metric: "load_documents_per_second", Help: "Throughput of the loading.",
		Of: func(l *reportv1.LoadSummary) *int64 { return &l.DocumentsPerSecond },
		In: in(func(l *benchv1alpha1.LoadResult) **int64 { return &l.DocumentsPerSecond }),
		Compared: &Comparison{
			Metric: benchv1alpha1.MetricLoadDocumentsPerSecond, Name: "throughput of the loading", Unit: PerSecond,
			UnitName: "documents/second", BenchUnit: "documents/s",
		},
	},
}

// Sizes are the figures of a growing collection at a checkpoint.
var Sizes = []Row[reportv1.GrowthSummary, benchv1alpha1.GrowthResult]{
	{
		Metric: "dataset_documents", Help: "Documents of the growing collection at a checkpoint.",
		Of: func(g *reportv1.GrowthSummary) *int64 { return &g.Found },
		In: in(func(g *benchv1alpha1.GrowthResult) **int64 { return &g.Documents }),
	},
	{
		Unit: Bytes, Metric: "dataset_bytes",
		Help: "Size of the growing collection's documents at a checkpoint, uncompressed.",
		Of:   func(g *reportv1.GrowthSummary) *int64 { return &g.DataBytes },
		In:   in(func(g *benchv1alpha1.GrowthResult) **int64 { return &g.DataBytes }),
	},
	{
		Unit: Bytes, Metric: "dataset_storage_bytes",
		Help:     "Size of the growing collection's documents on disk at a checkpoint.",
		Of:       func(g *reportv1.GrowthSummary) *int64 { return &g.StorageBytes },
		In:       in(func(g *benchv1alpha1.GrowthResult) **int64 { return &g.StorageBytes }),
		Compared: comparedSize(benchv1alpha1.MetricStorageBytes, "size of the documents", "storage-bytes"),
	},
	{
		Unit: Bytes, Metric: "index_bytes",
		Help:     "Size of the growing collection's indexes on disk at a checkpoint.",
		Of:       func(g *reportv1.GrowthSummary) *int64 { return &g.IndexBytes },
		In:       in(func(g *benchv1alpha1.GrowthResult) **int64 { return &g.IndexBytes }),
		Compared: comparedSize(benchv1alpha1.MetricIndexBytes, "size of the indexes", "index-bytes"),
	},
}

func comparedSize(metric benchv1alpha1.Metric, name, benchUnit string) *Comparison {
	return &Comparison{Metric: metric, Name: name, Unit: Bytes, UnitName: "bytes", BenchUnit: benchUnit}
}

// Sweeps are the figures of a sweep over thread numbers.
var Sweeps = []Row[reportv1.SweepSummary, benchv1alpha1.SweepResult]{
	{
		Sparse: true, Metric: "sweep_knee_threads",
		Help: "Threads beyond which more of them cost more latency than they bring throughput.",
		Of:   func(s *reportv1.SweepSummary) *int64 { return new(int64(s.KneeThreads)) },
		In:   in32(func(s *benchv1alpha1.SweepResult) **int32 { return &s.KneeThreads }),
	},
	{
		Sparse: true, Metric: "sweep_saturation_threads",
		Help: "Smallest number of threads whose throughput is within 5 % of the highest.",
		Of:   func(s *reportv1.SweepSummary) *int64 { return new(int64(s.SaturationThreads)) },
		In:   in32(func(s *benchv1alpha1.SweepResult) **int32 { return &s.SaturationThreads }),
	},
}

// Actions are the figures of an action of a step.
var Actions = []Row[reportv1.Action, benchv1alpha1.ActionResult]{
	{
		Unit: Millis, Metric: "action_start_seconds",
		Help: "When an action was done, from the start of the measure window.",
		Of:   func(a *reportv1.Action) *int64 { return new(max(a.AtMillis, 0)) },
		In:   in(func(a *benchv1alpha1.ActionResult) **int64 { return &a.AtMillis }),
	},
	{
		Sparse: true, Unit: Millis, Metric: "action_duration_seconds",
		Help: "How long the command took that carried an action out, such as the build of an index.",
		Of: func(a *reportv1.Action) *int64 {
			if a.TookMicros == 0 {
				return nil
			}
			return new(a.TookMicros / 1000)
		},
		In: in(func(a *benchv1alpha1.ActionResult) **int64 { return &a.TookMillis }),
	},
	{
		Unit: Millis, Metric: "action_outage_seconds",
		Help: "Longest time after an action in which no operation succeeded.",
		Of:   func(a *reportv1.Action) *int64 { return new(a.OutageMicros / 1000) },
		In:   in(func(a *benchv1alpha1.ActionResult) **int64 { return &a.OutageMillis }),
	},
	{
		Unit: Millis, Metric: "action_recovery_seconds",
		Help: "Time from an action until the throughput was back at nine tenths.",
		Of: func(a *reportv1.Action) *int64 {
			if a.RecoveryMillis == nil || *a.RecoveryMillis < 0 {
				return nil
			}
			return a.RecoveryMillis
		},
		In: in(func(a *benchv1alpha1.ActionResult) **int64 { return &a.RecoveryMillis }),
	},
}
