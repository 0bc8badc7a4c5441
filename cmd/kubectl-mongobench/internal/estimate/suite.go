package estimate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/schema"
	apisuite "github.com/mongobench/mongobench-operator/internal/suite"
)

// Suite is what all runs of a suite will take.
type Suite struct {
	Name string `json:"name"`
	// Runs of all variants, and Parallelism of them at a time.
	Runs        int       `json:"runs"`
	Parallelism int       `json:"parallelism"`
	Variants    []Variant `json:"variants"`
	// Pods that are there at once at most.
	Pods []Pods `json:"pods"`
	// MostReportBytes is what the reports of all runs take if each is as large as one can be, and HistorySizeLimit what
	// those of all revisions may take together.
	MostReportBytes  int64 `json:"mostReportBytes"`
	HistorySizeLimit int64 `json:"historySizeLimit"`
	// LeastSeconds, Load and Rest are sums over all runs, shared by as many as go on at once. With a target that a
	// variant's runs share, Load and Rest begin at one run each: which ones find the dataset unchanged is unknown.
	LeastSeconds float64  `json:"leastSeconds"`
	Load         *Span    `json:"load,omitempty"`
	Rest         *Span    `json:"rest,omitempty"`
	NotCounted   []string `json:"notCounted"`
	Fits         *Fit     `json:"fits,omitempty"`
}

// Variant is one run of a variant, and how many there are of it.
type Variant struct {
	Run
	Repetitions int `json:"repetitions"`
}

// accepted checks a run as the API server will.
func accepted(run *benchv1alpha1.BenchmarkRun) error {
	object, err := benchv1alpha1.ToUnstructured(run)
	if err != nil {
		return err
	}
	return schema.Check(object)
}

// suiteOf reckons with every run that the operator would make of an empty suite.
func suiteOf(declared *benchv1alpha1.BenchmarkSuite, around Surroundings) (Suite, error) {
	plan, errs := apisuite.Compile(declared)
	if len(errs) > 0 {
		return Suite{}, errs.ToAggregate()
	}
	repetitions := make([]int, len(plan.Variants))
	for _, slot := range plan.Slots {
		if repetitions[slot.Variant]++; repetitions[slot.Variant] > 1 {
			continue
		}
		// Patches may have made of it what the API server refuses.
		if err := accepted(apisuite.Run(declared, plan, slot)); err != nil {
			return Suite{}, fmt.Errorf("variant %s: %w", plan.Variants[slot.Variant].Name, err)
		}
	}
	normal := spec.NormaliseSuite(declared.Spec)
	found := Suite{
		Name: declared.Name, Runs: len(plan.Slots),
		Parallelism: int(*normal.Parallelism),
		Load:        &Span{}, Rest: &Span{},
		MostReportBytes:  int64(len(plan.Slots)) * reportv1alpha1.MaxReportBytes,
		HistorySizeLimit: normal.HistorySizeLimit.Value(),
	}
	shared := *normal.TargetReuse == benchv1alpha1.TargetReusePerVariant
	around.Declared = withBaseline(around.Declared, declared, plan)
	atOnce := 1 / float64(max(min(found.Parallelism, found.Runs), 1))
	for i, variant := range plan.Variants {
		run, err := runOf(variant.Name, variant.Spec, around)
		if err != nil {
			return Suite{}, err
		}
		found.Variants = append(found.Variants, Variant{Run: run, Repetitions: repetitions[i]})
		n := float64(repetitions[i]) * atOnce
		found.LeastSeconds += run.Time.LeastSeconds * n
		found.Load = found.Load.plus(repeated(run.Time.Load, n, atOnce, shared))
		found.Rest = found.Rest.plus(repeated(run.Time.Rest, n, atOnce, shared))
		found.NotCounted = slices.Compact(slices.Sorted(slices.Values(slices.Concat(found.NotCounted, run.NotCounted))))
	}
	if found.Parallelism > 1 {
		found.NotCounted = append(found.NotCounted, "turns: the operator may admit fewer runs at a time than the suite makes")
	}
	if declared.Spec.Search != nil {
		found.NotCounted = append(found.NotCounted,
			"the search: it makes the runs that it needs, and these are all that there could be")
	}
	found.Pods = atMost(found, shared, *normal.Order)
	return found, nil
}

// withBaseline adds to the targets that are known that of the variant which the others of a suite are measured in turns
// with.
func withBaseline(
	known map[string]benchv1alpha1.BenchmarkTarget, declared *benchv1alpha1.BenchmarkSuite, plan apisuite.Plan,
) map[string]benchv1alpha1.BenchmarkTarget {
	at := apisuite.BaselineOf(declared, plan.Variants)
	if at < 0 || plan.Variants[at].Spec.Target == nil {
		return known
	}
	known = maps.Clone(known)
	if known == nil {
		known = map[string]benchv1alpha1.BenchmarkTarget{}
	}
	name := apisuite.TargetName(declared, plan.Variants[at])
	known[name] = benchv1alpha1.BenchmarkTarget{Spec: *plan.Variants[at].Spec.Target}
	return known
}

// repeated is the time of several runs, of which those with a shared target may need no more than the first did.
func repeated(one *Span, runs, first float64, shared bool) *Span {
	all := one.times(runs)
	if all != nil && shared {
		all.LowSeconds = one.LowSeconds * first
	}
	return all
}

// atMost are the pods that are there at once: those of the largest variant, as often as runs go on at a time. Targets
// that the runs of a variant share stand until the last of these has ended, and so all of them at once unless the
// variants follow one another. Of duets there is one run of each variant, and the baseline's target stands for all.
func atMost(suite Suite, shared bool, order benchv1alpha1.SuiteOrder) []Pods {
	if suite.Runs == 0 {
		return nil
	}
	ordered := slices.SortedStableFunc(slices.Values(suite.Variants), func(a, b Variant) int {
		return larger(b.Pods, a.Pods)
	})
	largest, runs := ordered[0], min(suite.Parallelism, suite.Runs)
	target := largest.target
	switch {
	case order == benchv1alpha1.SuiteDuet:
		ordered = slices.DeleteFunc(ordered, func(v Variant) bool { return v.Repetitions == 0 })
		largest = ordered[0]
		target = slices.Concat(targets(ordered[:min(runs, len(ordered))]), largest.baseline)
	case shared && order != benchv1alpha1.SuiteSequential:
		target = targets(suite.Variants)
	case !shared:
		target = multiplied(target, runs)
	}
	return slices.Concat(target, multiplied(largest.load, runs))
}

// targets are the pods of the targets of variants.
func targets(variants []Variant) []Pods {
	var all []Pods
	for _, variant := range variants {
		all = append(all, variant.target...)
	}
	return merged(all)
}

func multiplied(all []Pods, n int) []Pods {
	more := slices.Clone(all)
	for i := range more {
		more[i].Count *= n
	}
	return more
}

// merged counts pods that are alike together.
func merged(all []Pods) []Pods {
	var found []Pods
	for _, pods := range all {
		at := slices.IndexFunc(found, func(other Pods) bool { return alike(pods, other) })
		if at < 0 {
			found = append(found, pods)
			continue
		}
		found[at].Count += pods.Count
	}
	return found
}

func alike(a, b Pods) bool {
	a.Count, b.Count = 0, 0
	return reflect.DeepEqual(a, b)
}
