package result

import (
	"cmp"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// saturationShare: a throughput within 5 % of the highest is as good as the highest, given how measurements scatter.
const saturationShare = 0.95

// fewestSweepPoints that a knee can be told from: one in the middle, and one on either side.
const fewestSweepPoints = 3

// summariseSweeps puts the steps of each sweep together.
func summariseSweeps(steps []reportv1.StepSummary) []reportv1.SweepSummary {
	var sweeps []reportv1.SweepSummary
	for _, step := range steps {
		if step.SweepOf == "" {
			continue
		}
		sweep := entry(&sweeps, reportv1.SweepSummary{Name: step.SweepOf},
			func(s reportv1.SweepSummary) string { return s.Name })
		sweep.Points = append(sweep.Points, reportv1.SweepPoint{
			Step:                step.Name,
			Threads:             step.Threads,
			OperationsPerSecond: step.Overall.OperationsPerSecond,
			MeanMicros:          step.Overall.MeanMicros,
			P99Micros:           p99(step.Overall),
			Errors:              step.Overall.Errors,
		})
	}
	sweeps = slices.DeleteFunc(sweeps, alikeThreads)
	for i := range sweeps {
		slices.SortStableFunc(sweeps[i].Points, func(a, b reportv1.SweepPoint) int {
			return cmp.Compare(a.Threads, b.Threads)
		})
		sweeps[i].KneeThreads = Knee(sweeps[i].Points)
		sweeps[i].SaturationThreads = saturationThreads(sweeps[i].Points)
	}
	return sweeps
}

// alikeThreads says whether the points of a sweep differ in something else than their threads, such as in connections.
func alikeThreads(sweep reportv1.SweepSummary) bool {
	return len(sweep.Points) > 1 && sweep.Points[0].Threads == sweep.Points[1].Threads
}

// Knee is the number of threads with the largest power, which is the throughput over the mean latency. Up to there more
// threads bring more throughput than they cost latency; beyond it is the other way round. Where a server takes up
// threads without slowing down until it is full, and no more from then on, that is the number at which it is full.
//
// It is 0 for fewer than three points, and when the power is largest at either end: then the knee lies outside the
// sweep.
//
// The measure is Kleinrock's, "Power and deterministic rules of thumb for probabilistic problems in computer
// communications", ICC 1979. It has no parameter to choose and needs no smooth curve, unlike Kneedle (Satopää and
// others 2011) or a fit of the universal scalability law, which both want more points than a sweep has.
func Knee(points []reportv1.SweepPoint) int {
	if len(points) < fewestSweepPoints {
		return 0
	}
	best, most := 0, 0.0
	for i, point := range points {
		if point.MeanMicros <= 0 {
			return 0
		}
		if power := float64(point.OperationsPerSecond) / float64(point.MeanMicros); power > most {
			best, most = i, power
		}
	}
	if best == 0 || best == len(points)-1 {
		return 0
	}
	return points[best].Threads
}

// p99 is that of all operations of a step; 0 when they are too few for it.
func p99(all reportv1.OperationSummary) int64 {
	times := all.TimesSummary
	figure.Withhold(&times)
	return times.P99Micros
}

// saturationThreads is the smallest number of threads whose throughput is within 5 % of the highest.
func saturationThreads(points []reportv1.SweepPoint) int {
	var highest int64
	for _, point := range points {
		highest = max(highest, point.OperationsPerSecond)
	}
	for _, point := range points {
		if float64(point.OperationsPerSecond) >= saturationShare*float64(highest) {
			return point.Threads
		}
	}
	return 0
}

// summariseGrowth puts the steps of each checkpoint together, in the order of the checkpoints.
func summariseGrowth(report reportv1.Report, steps []reportv1.StepSummary) []reportv1.GrowthSummary {
	var growth []reportv1.GrowthSummary
	for _, step := range report.Steps {
		if step.GrowthDocuments == 0 {
			continue
		}
		checkpoint := entry(&growth, reportv1.GrowthSummary{Documents: step.GrowthDocuments},
			func(g reportv1.GrowthSummary) int64 { return g.Documents })
		switch step.Kind {
		case reportv1.KindLoad:
			checkpoint.LoadedPerSecond = perSecond(step.Documents, step.Duration())
		case reportv1.KindSize:
			addSizes(checkpoint, step)
		}
	}
	for _, step := range steps {
		at := slices.IndexFunc(growth, func(g reportv1.GrowthSummary) bool { return g.Documents == step.Documents })
		if step.GrowthOf == "" || at < 0 {
			continue
		}
		growth[at].Points = append(growth[at].Points, reportv1.GrowthPoint{
			Name:                step.GrowthOf,
			Step:                step.Name,
			OperationsPerSecond: step.Overall.OperationsPerSecond,
			MeanMicros:          step.Overall.MeanMicros,
			P99Micros:           p99(step.Overall),
			Errors:              step.Overall.Errors,
		})
	}
	return growth
}

// addSizes adds up what the growing collection, the first, takes on all shards.
func addSizes(g *reportv1.GrowthSummary, step reportv1.Step) {
	g.Found = step.Documents
	for _, size := range step.Sizes {
		if size.Collection != step.Sizes[0].Collection {
			continue
		}
		g.DataBytes += size.DataBytes
		g.StorageBytes += size.StorageBytes
		g.Unsettled = g.Unsettled || size.Unsettled
		for _, index := range size.Indexes {
			g.IndexBytes += index.Bytes
		}
	}
}

// entry is the element of a list with the key of another one, which is added where there is none.
func entry[T any, K comparable](list *[]T, like T, key func(T) K) *T {
	at := slices.IndexFunc(*list, func(one T) bool { return key(one) == key(like) })
	if at < 0 {
		at, *list = len(*list), append(*list, like)
	}
	return &(*list)[at]
}
