package validation

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// ValidateRun finds what is wrong with a run that the API server accepted.
func ValidateRun(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	expanded, errs := presets.Expand(run.Spec)
	if len(errs) > 0 {
		return errs
	}
	found, path := &product.Findings{}, field.NewPath("spec")
	if declared := expanded.Target; declared != nil {
		if errs := validateMembers(declared, path.Child("target")); len(errs) > 0 {
			return errs // What the run is measured on is not known.
		}
		found.Add(validateTargetSpec(declared, path.Child("target"))...)
	}
	if declared := expanded.LoadGenerator; declared != nil {
		limits := podspec.LoadResources(*spec.LoadGenerator(nil).Resources).Limits
		path := path.Child("loadGenerator")
		validateImage(found, declared.Image, path.Child("image"))
		validateResources(found, declared.Resources, limits, path.Child("resources"))
		found.Add(ValidatePodSettings(declared.PodSettings, path.Child("podSettings"))...)
		if gateway := declared.Gateway; gateway != nil {
			path := path.Child("gateway")
			validateResources(found, gateway.Resources, limits, path.Child("resources"))
			found.Add(ValidatePodSettings(gateway.PodSettings, path.Child("podSettings"))...)
		}
	}
	normal := spec.Normalise(expanded)
	validateGrowth(found, &normal, path)
	normal = grown(normal)
	validateSpec(found, &normal, path)
	fromKeys(found.ErrorList, &expanded, &normal)
	if run.Spec.Preset != nil {
		fromPreset(found.ErrorList)
	}
	return found.ErrorList
}

// fromPreset gives errors about what a preset stands for the path of the preset.
func fromPreset(errs field.ErrorList) {
	for _, err := range errs {
		if strings.HasPrefix(err.Field, "spec.dataset") || strings.HasPrefix(err.Field, "spec.workload") {
			err.Detail = "it stands for a run in which this is wrong: " + err.Field + ": " + err.Detail
			err.Field = "spec.preset"
		}
	}
}

// validateSpec checks a normalised specification, but for what is said of the target and of the load pods alone.
func validateSpec(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	validateDataset(found, &spec.Dataset, path.Child("dataset"))
	validateSharding(found, spec, path.Child("dataset", "collections"))
	validateWorkload(found, spec, path.Child("workload"))
	validateExistingRun(found, spec, path)
	validateSearchTarget(found, spec, path.Child("dataset"))
	validateFiles(found, spec, path)
	validateInlineActions(found, spec, path)
	validateDuet(found, spec, path)
	validateGateway(found, spec, path)
	if spec.Target != nil {
		validateDatabase(found, spec, spec.Target, path)
	}
	load := path.Child("dataset", "load")
	if spec.Dataset.Existing == nil {
		validateThreads(found, *spec.Dataset.Load.Threads, *spec.LoadGenerator.Pods, load.Child("threads"))
	}
	validateMemory(found, spec, path)
	validateDeadlines(found, spec, path.Child("deadlines"))
}

func validateThreads(found *product.Findings, threads, pods int32, path *field.Path) {
	found.Refuse(threads < pods, path, threads,
		"must be at least the number of load pods, %d, so that every pod has a worker", pods)
}

// validateDeadlines refuses a deadline that the run cannot keep.
func validateDeadlines(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	seconds := spec.Deadlines.MeasuringSeconds
	if seconds == nil {
		return
	}
	var needed int64
	for i := range spec.Workload.Steps {
		needed += leastSeconds(&spec.Workload.Steps[i])
	}
	needed *= int64(max(1, len(benchv1alpha1.CheckpointSizes(spec.Workload.Growth))))
	found.Refuse(int64(*seconds) <= needed, path.Child("measuringSeconds"), *seconds,
		"must be more than %d, the sum of all warm-ups and durations", needed)
}

// validateDatabase refuses what the product of a target does not do. A preset is written out.
func validateDatabase(
	found *product.Findings, normal *benchv1alpha1.BenchmarkRunSpec, target *benchv1alpha1.BenchmarkTargetSpec,
	path *field.Path,
) {
	database := catalogue.Of(*target)
	found.Refuse(normal.LoadGenerator.Gateway != nil && !database.Traits().Actions, path.Child("loadGenerator", "through"),
		benchv1alpha1.WayGateway, "is for MongoDB; leave it out")
	client, known := *normal.LoadGenerator.Client, database.Traits().Clients
	if !slices.Contains(known, client) {
		found.Add(field.NotSupported(path.Child("loadGenerator", "client"), client, known))
	}
	found.Add(database.ValidateRun(product.Run{
		Spec: normal, Target: target, Path: path,
		Collection: spec.CompileCollection, Operation: spec.CompileOperation,
	})...)
}

// maxPlanSteps is how many steps a plan may have: the report of that many still fits into what a pod may hand in.
const maxPlanSteps = 512

// grown is a specification whose growing collection has the number of documents that it grows to, so that all that is
// checked of a collection is checked of the largest.
func grown(spec benchv1alpha1.BenchmarkRunSpec) benchv1alpha1.BenchmarkRunSpec {
	sizes := benchv1alpha1.CheckpointSizes(spec.Workload.Growth)
	at := growing(&spec)
	if len(sizes) == 0 || at < 0 || spec.Dataset.Existing != nil {
		return spec
	}
	spec.Dataset.Collections = slices.Clone(spec.Dataset.Collections)
	spec.Dataset.Collections[at].DocumentCount = &sizes[len(sizes)-1]
	return spec
}

// growing is the index of the collection that grows; negative when it is not said.
func growing(declared *benchv1alpha1.BenchmarkRunSpec) int { return spec.Growing(declared) }

// validateGrowth checks a growth, and what in the rest of the specification does not go with one.
func validateGrowth(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	growth, sizes := spec.Workload.Growth, benchv1alpha1.CheckpointSizes(spec.Workload.Growth)
	declared := path.Child("workload", "growth")
	if growth != nil && spec.Dataset.Existing != nil {
		found.Forbid(true, declared, "an existing dataset is measured as it is, and does not grow")
		return
	}
	if growth == nil || !validateSizes(found, growth, declared) || len(sizes) == 0 {
		return
	}
	if growing(spec) < 0 {
		found.Add(noCollection(ptr.Deref(growth.Collection, ""), spec.Dataset, declared))
	}
	validateGrowing(found, spec, sizes[len(sizes)-1], path.Child("dataset"))
	forbidSweeps(found, spec.Workload.Steps, path.Child("workload", "steps"))
	planned := len(sizes) * (len(spec.Workload.Steps) + 2)
	found.Refuse(planned > maxPlanSteps, declared, len(sizes),
		"this many checkpoints, with %d steps, growing and sizes at each, are %d steps; at most %d are possible",
		len(spec.Workload.Steps), planned, maxPlanSteps)
}

// validateSizes checks that the collection grows from each checkpoint to the next.
func validateSizes(found *product.Findings, growth *benchv1alpha1.Growth, path *field.Path) (valid bool) {
	if growth.To != nil && growth.Checkpoints != nil && *growth.To < int64(*growth.Checkpoints) {
		found.Refuse(true, path.Child("to"), *growth.To,
			"must be at least checkpoints, %d, so that there is a document more at each", *growth.Checkpoints)
		return false
	}
	for i := 1; i < len(growth.Sizes); i++ {
		if growth.Sizes[i] <= growth.Sizes[i-1] {
			found.Refuse(true, path.Child("sizes").Index(i), growth.Sizes[i],
				"must be more than the one before, %d", growth.Sizes[i-1])
			return false
		}
	}
	return true
}

// validateGrowing checks the collection that grows.
func validateGrowing(
	found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, last int64, path *field.Path,
) {
	at := growing(spec)
	if at < 0 {
		return
	}
	if count := spec.Dataset.Collections[at].DocumentCount; count != nil && *count != last {
		found.Refuse(true, path.Child("collections").Index(at).Child("documentCount"), *count,
			"the collection grows to %d documents by spec.workload.growth; leave this out", last)
	}
	found.Forbid(spec.Dataset.Collections[at].View != nil, path.Child("collections").Index(at).Child("view"),
		"a view does not grow; name the collection that it is on by spec.workload.growth.collection")
	found.Forbid(spec.Dataset.Collections[at].Copies != nil, path.Child("collections").Index(at).Child("copies"),
		"a collection that grows is a single one")
	found.Forbid(*spec.Dataset.Load.Indexes == benchv1alpha1.IndexesAfterLoad, path.Child("load", "indexes"),
		"a collection that grows has its indexes from the start; leave this out, or write BeforeLoad")
}
