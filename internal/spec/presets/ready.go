package presets

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
)

// scale is the parameter of a ready workload that multiplies the documents of its collections.
const scale = "scale"

const maxScale = 100_000

// ready are the workloads that are written down as samples, by the sample's name. They are read once, when somebody
// first asks for a preset that is none of YCSB's.
var ready = sync.OnceValue(func() map[benchv1alpha1.PresetName]benchv1alpha1.BenchmarkRunSpec {
	found := map[benchv1alpha1.PresetName]benchv1alpha1.BenchmarkRunSpec{}
	for _, name := range samples.Workloads() {
		content, _ := samples.Read(name)
		run := benchv1alpha1.BenchmarkRun{}
		// What is compiled in can be read; a test expands every preset.
		_ = yaml.UnmarshalStrict(content, &run)
		found[benchv1alpha1.PresetName(name)] = run.Spec
	}
	return found
})

// fixed are the collections that have the same documents at every scale, by preset.
var fixed = map[benchv1alpha1.PresetName]string{
	"tpc-c-like": "items",   // All warehouses have the same.
	"iot":        "sensors", // At a larger scale there are readings of a longer time.
}

// expandReady changes a ready workload by the parameters of a preset.
func expandReady(
	declared benchv1alpha1.BenchmarkRunSpec, preset benchv1alpha1.Preset,
) (benchv1alpha1.Dataset, benchv1alpha1.Workload, field.ErrorList) {
	dataset, workload := declared.Dataset.DeepCopy(), declared.Workload.DeepCopy()
	r := newReader(preset, field.NewPath("spec", "preset", "parameters"))
	r.multiply(dataset.Collections, fixed[preset.Name])
	r.change(&workload.Steps[0], preset) // The steps after the first one check what it left.
	return *dataset, *workload, r.finish()
}

// multiply changes the numbers of documents by the scale, which keeps how many of one there are for each of another.
func (r *reader) multiply(collections []benchv1alpha1.Collection, fixed string) {
	factor, err := strconv.ParseFloat(r.value(scale, "1"), 64)
	if err != nil || !(factor > 0 && factor <= maxScale) {
		r.refuse(scale, fmt.Sprintf("must be a number above 0 and at most %d", maxScale))
		return
	}
	millionths := int64(math.Round(factor * float64(million))) // 0.07 times 100 is 7.
	for _, c := range collections {
		if c.DocumentCount == nil || c.Name == fixed {
			continue
		}
		product := *c.DocumentCount * millionths
		if product == 0 || product%million != 0 {
			r.refuse(scale, fmt.Sprintf("collection %s would have %g documents, which has to be a whole number above 0",
				c.Name, float64(product)/float64(million)))
			return
		}
		*c.DocumentCount = product / million
	}
}

// change has the parameters of a step in their places.
func (r *reader) change(step *benchv1alpha1.Step, preset benchv1alpha1.Preset) {
	if preset.WarmupSeconds != nil {
		step.WarmupSeconds = preset.WarmupSeconds
	}
	if seconds := r.integer(maxExecutionTime, "0", 0, maxSeconds); seconds > 0 {
		step.DurationSeconds = new(int32(seconds))
	}
	r.oneOfThreadsAndSweep(preset)
	threads, rate := r.integer(threadCount, "0", 0, maxThreads), r.integer(targetRate, "0", 0, maxRate)
	if len(step.Groups) > 0 {
		r.ofGroups(preset)
		return
	}
	if rate > 0 {
		step.Arrival, step.Threads = &benchv1alpha1.Arrival{OperationsPerSecond: new(rate)}, nil
	}
	if threads > 0 {
		step.Threads = new(int32(threads))
	}
	if len(preset.ThreadSweep) > 0 {
		step.Threads, step.ThreadSweep = nil, preset.ThreadSweep
	}
}

// ofGroups refuses what a step says for each of its groups.
func (r *reader) ofGroups(preset benchv1alpha1.Preset) {
	why := fmt.Sprintf("the workload has groups with threads of their own: kubectl mongobench new %s writes it down to "+
		"be changed", preset.Name)
	for _, name := range []string{threadCount, targetRate} {
		if _, given := preset.Parameters[name]; given {
			r.refuse(name, why)
		}
	}
	if len(preset.ThreadSweep) > 0 {
		r.errs = append(r.errs, field.Forbidden(field.NewPath("spec", "preset", "threadSweep"), why))
	}
}
