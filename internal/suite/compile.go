package suite

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// Compile works out the plan of a suite. The errors have the paths of the fields that are wrong; with any, the plan
// is empty.
func Compile(suite *benchv1alpha1.BenchmarkSuite) (Plan, field.ErrorList) {
	if errs := validation.ValidateSuite(suite); len(errs) > 0 {
		return Plan{}, errs
	}
	found, err := candidates(suite)
	if err != nil {
		return Plan{}, field.ErrorList{err}
	}
	c := compiler{suite: suite, candidates: found, seen: map[string]bool{}}
	c.checkNames()
	c.checkSpecs()
	c.checkRepetitions()
	if len(c.errs) > 0 {
		return Plan{}, c.errs
	}
	variants := c.variants()
	if errs := checkComparison(suite.Spec, variants); len(errs) > 0 {
		return Plan{}, errs
	}
	return Plan{Revision: revision(variants), Variants: variants, Slots: slots(suite, variants)}, nil
}

// compiler makes variants of candidates.
type compiler struct {
	suite      *benchv1alpha1.BenchmarkSuite
	candidates []candidate
	errs       field.ErrorList
	// seen are the errors so far: many variants share a template, and many a choice.
	seen map[string]bool
}

// checkNames wants variants, and their runs, to have names of their own.
func (c *compiler) checkNames() {
	names, parts := map[string]bool{}, map[string]string{}
	for _, candidate := range c.candidates {
		part := prefix(c.suite.Name, candidate.name)
		switch other, taken := parts[part]; {
		case names[candidate.name]:
			c.errs = append(c.errs, field.Duplicate(candidate.path, candidate.name))
		case taken:
			c.errs = append(c.errs, field.Invalid(candidate.path, candidate.name, fmt.Sprintf(
				"its runs would be called like those of variant %s, because a dot becomes a dash in their names", other)))
		}
		names[candidate.name], parts[part] = true, candidate.name
	}
}

// checkSpecs wants the specification of every variant to be one that a run may have.
func (c *compiler) checkSpecs() {
	shared := shares(c.suite)
	for _, candidate := range c.candidates {
		layer := candidate.layer
		if layer.err != nil {
			c.refuse(candidate.name, layer.err, "")
			continue
		}
		for _, err := range layer.check() {
			c.refuseAt(candidate.name, layer.origin(err), err)
		}
		if shared && layer.spec.Target == nil {
			c.refuseAt(candidate.name, layer, field.Required(field.NewPath("spec", "target"),
				"targetReuse PerVariant makes one target for each variant"))
		}
	}
}

// refuseAt adds an error about the specification of a variant at the place that it comes from.
func (c *compiler) refuseAt(variant string, culprit *layer, err *field.Error) {
	told := *err
	if culprit.parent == nil {
		told.Field = "spec.template." + err.Field
		c.refuse(variant, &told, "")
		return
	}
	told.Field = culprit.path.String()
	c.refuse(variant, &told, err.Field+": ")
}

// refuse adds an error, once, with the name of the first variant that has it.
func (c *compiler) refuse(variant string, err *field.Error, before string) {
	told := *err
	told.Detail = before + err.Detail
	if c.seen[told.Error()] {
		return
	}
	c.seen[told.Error()] = true
	if c.suite.Spec.Matrix != nil {
		told.Detail = fmt.Sprintf("variant %s: %s", variant, told.Detail)
	}
	c.errs = append(c.errs, &told)
}

func (c *compiler) checkRepetitions() {
	repetitions := int(*spec.NormaliseSuite(c.suite.Spec).Repetitions)
	if runs := len(c.candidates) * repetitions; runs > MaxRuns {
		c.errs = append(c.errs, field.Invalid(field.NewPath("spec", "repetitions"), repetitions, fmt.Sprintf(
			"of %d variants are %d runs; at most %d are possible", len(c.candidates), runs, MaxRuns)))
	}
}

func (c *compiler) variants() []Variant {
	all, reuse := make([]Variant, 0, len(c.candidates)), *spec.NormaliseSuite(c.suite.Spec).TargetReuse
	for _, candidate := range c.candidates {
		declared := candidate.layer.spec.DeepCopy()
		plan := spec.Compile(*declared)
		all = append(all, Variant{
			Name: candidate.name, Choices: candidate.choices, Spec: *declared,
			Hash: specHash(declared, plan, reuse), Steps: measured(plan),
		})
	}
	return all
}

// measured are the steps of a plan that results have.
func measured(plan planv1alpha1.Plan) []Step {
	var steps []Step
	for _, planned := range plan.Steps {
		if planned.Kind != planv1alpha1.StepMeasure {
			continue
		}
		step := Step{Name: planned.Name, Declared: planned.Name}
		if declared := planned.SweepOf + planned.GrowthOf; declared != "" {
			step.Declared = declared // A growth has no threadSweep, so that no more than one of the two is set.
		}
		for _, operation := range planned.Operations {
			step.Operations = append(step.Operations, operation.Name)
		}
		steps = append(steps, step)
	}
	return steps
}

// checkComparison wants what is compared to exist.
func checkComparison(spec benchv1alpha1.BenchmarkSuiteSpec, variants []Variant) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec")
	for i, threshold := range spec.Thresholds {
		at := path.Child("thresholds").Index(i)
		errs = append(errs, checkMeasured(threshold.Step, threshold.Operation, variants, at)...)
	}
	baseline := ptr.Deref(spec.Baseline, benchv1alpha1.Baseline{})
	path = path.Child("baseline")
	for i, figure := range baseline.Figures {
		at := path.Child("figures").Index(i)
		errs = append(errs, checkMeasured(figure.Step, figure.Operation, variants, at)...)
	}
	named := func(variant Variant) bool { return variant.Name == *baseline.Variant }
	if baseline.Variant != nil && !slices.ContainsFunc(variants, named) {
		errs = append(errs, field.Invalid(path.Child("variant"), *baseline.Variant,
			"no variant has this name; there are "+some(variants)))
	}
	return errs
}

// checkMeasured wants a step or operation that is named to be measured in at least one variant.
func checkMeasured(step, operation *string, variants []Variant, path *field.Path) field.ErrorList {
	steps := false
	for _, variant := range variants {
		for _, measured := range variant.Steps {
			if step != nil && !measured.Is(*step) {
				continue
			}
			steps = true
			if operation == nil || slices.Contains(measured.Operations, *operation) {
				return nil
			}
		}
	}
	if !steps {
		return field.ErrorList{field.Invalid(path.Child("step"), ptr.Deref(step, ""), "no variant has such a step")}
	}
	return field.ErrorList{field.Invalid(path.Child("operation"), *operation, "no variant has such an operation there")}
}

// some are the names of the first few variants.
func some(variants []Variant) string {
	const few = 10
	names := make([]string, 0, few+1)
	for i, variant := range variants {
		if i == few {
			names = append(names, fmt.Sprintf("%d more", len(variants)-few))
			break
		}
		names = append(names, variant.Name)
	}
	return strings.Join(names, ", ")
}

// shares says whether the runs of a variant share a target that the suite makes.
func shares(suite *benchv1alpha1.BenchmarkSuite) bool {
	return *spec.NormaliseSuite(suite.Spec).TargetReuse == benchv1alpha1.TargetReusePerVariant
}
