package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// validateDuet checks the duet of a normalised specification, and what in the rest of it does not go with one.
func validateDuet(found *product.Findings, normal *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	if normal.Duet == nil {
		return
	}
	declared := path.Child("duet")
	other := normal.Duet.Baseline.TargetRef.Name
	found.Refuse(normal.TargetRef != nil && normal.TargetRef.Name == other,
		declared.Child("baseline", "targetRef", "name"), other,
		"is the target of the run itself; both sides take turns, so each needs a target of its own")
	found.Forbid(*normal.LoadGenerator.Pods != 1, path.Child("loadGenerator", "pods"),
		"one load pod drives both sides of a duet; leave this out, or write 1")
	found.Forbid(normal.Workload.Growth != nil, path.Child("workload", "growth"), "a duet has no growth")
	for i := range normal.Workload.Steps {
		validateDuetStep(found, &normal.Workload.Steps[i], path.Child("workload", "steps").Index(i))
	}
	for i, threshold := range normal.Duet.Thresholds {
		if !slices.Contains(duet.Metrics, threshold.Metric) {
			found.Add(field.NotSupported(declared.Child("thresholds").Index(i).Child("metric"), threshold.Metric,
				duet.Metrics))
		}
	}
	validateThresholds(found, normal.Duet.Thresholds, declared.Child("thresholds"))
	validateOtherSide(found, normal, declared.Child("baseline", "spec"))
}

// validateDuetStep refuses what cannot be cut into windows.
func validateDuetStep(found *product.Findings, step *benchv1alpha1.Step, path *field.Path) {
	const windows = "a duet measures in windows; "
	found.Forbid(step.OperationCount != nil, path.Child("operationCount"), windows+"write durationSeconds")
	found.Forbid(step.Search != nil, path.Child("search"), windows+"leave it out")
	found.Forbid(step.Replay != nil, path.Child("replay"), windows+"leave it out, and replay the recording in two runs")
	found.Forbid(len(step.Groups) > 0, path.Child("groups"), windows+"leave them out, and measure one mix in each step")
	found.Forbid(len(step.Actions) > 0, path.Child("actions"), windows+"leave them out")
	found.Forbid(len(step.AbortOn) > 0, path.Child("abortOn"), windows+"leave it out")
	if arrival := step.Arrival; arrival != nil {
		changes := len(arrival.Stages) > 0 || arrival.Formula != nil || *arrival.Process == benchv1alpha1.ArrivalTrace
		found.Forbid(changes, path.Child("arrival"),
			windows+"so its rate must be the same all the time: write operationsPerSecond")
	}
}

// validateOtherSide checks what the baseline declares otherwise than the run, and that both have the same steps.
func validateOtherSide(found *product.Findings, normal *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	side, err := spec.Baseline(*normal)
	if err != nil {
		found.Add(field.Invalid(path, field.OmitValueType{}, err.Error()))
		return
	}
	if normal.Duet.Baseline.Spec == nil {
		return
	}
	side, errs := presets.Expand(side)
	if len(errs) > 0 {
		found.Refuse(true, path, field.OmitValueType{}, "%s", errs.ToAggregate())
		return
	}
	side = spec.Normalise(side)
	inner := &product.Findings{}
	validateSpec(inner, &side, field.NewPath("spec"))
	for _, err := range inner.ErrorList {
		found.Refuse(true, path, field.OmitValueType{}, "%s", err)
	}
	names := func(of *benchv1alpha1.BenchmarkRunSpec) (names []string) {
		for _, step := range of.Workload.Steps {
			names = append(names, step.Name)
		}
		return names
	}
	if want, got := names(normal), names(&side); !slices.Equal(want, got) {
		found.Refuse(true, path, field.OmitValueType{}, "its steps are %q, and those of the run are %q; both sides are "+
			"measured in the same steps", got, want)
		return
	}
	for i := range side.Workload.Steps {
		validateDuetStep(inner, &side.Workload.Steps[i], path.Child("workload", "steps").Index(i))
		theirs, ours := &side.Workload.Steps[i], &normal.Workload.Steps[i]
		found.Refuse(!slices.Equal(spec.Sweep(*theirs), spec.Sweep(*ours)) ||
			ptr.Deref(theirs.DurationSeconds, 0) != ptr.Deref(ours.DurationSeconds, 0),
			path.Child("workload", "steps").Index(i), theirs.Name,
			"has another durationSeconds or sweep than the run's; both sides are measured for as long")
	}
}

// validateSuiteDuet checks what the order Duet needs of a suite, and what goes with no other order.
func validateSuiteDuet(found *product.Findings, declared *benchv1alpha1.BenchmarkSuiteSpec, path *field.Path) {
	template := path.Child("template", "spec")
	found.Forbid(declared.Template.Spec.Duet != nil, template.Child("duet"),
		"the suite fills it in; write order: Duet, with baseline.variant")
	if ptr.Deref(declared.Order, "") != benchv1alpha1.SuiteDuet {
		found.Forbid(declared.Duets != nil, path.Child("duets"), "it is of the order Duet; write that, or leave this out")
		return
	}
	baseline := ptr.Deref(declared.Baseline, benchv1alpha1.Baseline{})
	if baseline.Variant == nil {
		found.Add(field.Required(path.Child("baseline", "variant"),
			"in the order Duet each variant is measured together with the one that is the baseline"))
	}
	if declared.Template.Spec.Target == nil {
		found.Add(field.Required(template.Child("target"), "in the order Duet each variant has a target of its own"))
	}
	normal := spec.NormaliseSuite(*declared)
	found.Forbid(*normal.TargetReuse != benchv1alpha1.TargetReusePerVariant, path.Child("targetReuse"),
		"in the order Duet each variant has one target; write PerVariant, or leave this out")
	found.Refuse(*normal.Repetitions != 1, path.Child("repetitions"), *normal.Repetitions,
		"a duet goes on by itself until it knows; write 1, or leave this out, and give its steps a longer durationSeconds")
	for i, threshold := range normal.Thresholds {
		if !slices.Contains(duet.Metrics, threshold.Metric) {
			found.Add(field.NotSupported(path.Child("thresholds").Index(i).Child("metric"), threshold.Metric, duet.Metrics))
		}
	}
}
