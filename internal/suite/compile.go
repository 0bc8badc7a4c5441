package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Compile works out the plan of a suite. The errors have the paths of the fields that are wrong; with any, the plan
// is empty.
func Compile(suite *benchv1alpha1.BenchmarkSuite) (Plan, field.ErrorList) {
	if errs := append(validation.ValidateSuite(suite), checkOccasions(suite.Spec)...); len(errs) > 0 {
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
	duets(c.suite, all)
	return all
}

// measured are the steps of a plan that results have.
func measured(plan planv1alpha1.Plan) []Step {
	var steps []Step
	for _, planned := range plan.Steps {
		if planned.Kind != planv1alpha1.StepMeasure {
			continue
		}
		step := Step{Name: planned.Name, Declared: planned.Name, OperationCount: planned.OperationCount}
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

// shares says whether the runs of a variant share a target that the suite makes.
func shares(suite *benchv1alpha1.BenchmarkSuite) bool {
	return *spec.NormaliseSuite(suite.Spec).TargetReuse == benchv1alpha1.TargetReusePerVariant
}

// hashDigits is how much of a hash names a specification or revision: of two that follow one another, one pair in four
// thousand million has the same.
const hashDigits = 8

// hashFormat changes when the same content is to be measured again.
const hashFormat = "suite.mongobench.dev/v1alpha1"

// content is what a variant's hash is made of: all that may change the results of its runs.
//
// Dataset and workload are in it as the plan that the load pods are given, and not as they are written, so that another
// spelling of the same is no other content: a default written out, an order of keys, a preset and what it stands for.
// Target and load pods are in it with every default, with quantities as numbers; an image counts if it is declared,
// because the operator's own is not known here.
//
// Left out is what only says when a run is made and what becomes of it (suspend, cancel, concurrency, retryLimit,
// cleanupPolicy, keepSeconds, ttlSecondsAfterFinished) and every deadline: a run that kept its deadlines has the same
// result with others.
type content struct {
	Format      string                             `json:"format"`
	TargetReuse benchv1alpha1.TargetReuse          `json:"targetReuse"`
	Plan        planv1alpha1.Plan                  `json:"plan"`
	Target      *benchv1alpha1.BenchmarkTargetSpec `json:"target,omitempty"`
	TargetRef   string                             `json:"targetRef,omitempty"`
	Baseline    string                             `json:"baseline,omitempty"`
	Generator   *benchv1alpha1.LoadGenerator       `json:"generator"`
}

// specHash is the hash of a specification, of which the plan was compiled.
func specHash(
	declared *benchv1alpha1.BenchmarkRunSpec, plan planv1alpha1.Plan, reuse benchv1alpha1.TargetReuse,
) string {
	normal := spec.Normalise(*declared)
	all := content{
		Format: hashFormat, TargetReuse: reuse, Plan: plan, Target: normal.Target, Generator: normal.LoadGenerator,
	}
	numbers(all.Generator.Resources)
	if target := all.Target; target != nil {
		// Neither how long it may take to be ready nor which databases its user may write changes a result.
		if external := target.External; external != nil {
			external.ProvisioningSeconds = nil
		}
		if deployment := target.Deployment(); deployment != nil {
			deployment.ProvisioningSeconds, deployment.Databases = nil, nil
			deploymentNumbers(deployment)
		}
		sortParameters(target)
		shardedNumbers(target)
	}
	if normal.TargetRef != nil {
		all.TargetRef = normal.TargetRef.Name
	}
	if normal.Duet != nil {
		all.Baseline = normal.Duet.Baseline.TargetRef.Name
	}
	return hashOf(all)
}

// sortParameters brings the parameters of a target into an order that does not depend on its author's.
func sortParameters(target *benchv1alpha1.BenchmarkTargetSpec) {
	byName := func(a, b benchv1alpha1.ServerParameter) int { return strings.Compare(a.Name, b.Name) }
	if target.MongoDB != nil {
		slices.SortFunc(target.MongoDB.Parameters, byName)
	}
	if target.MariaDB != nil {
		slices.SortFunc(target.MariaDB.Parameters, byName)
	}
}

// deploymentNumbers writes the quantities of a deployment as numbers.
func deploymentNumbers(deployment *benchv1alpha1.Deployment) {
	numbers(deployment.Resources)
	if directory := deployment.Storage.EmptyDir; directory != nil {
		directory.SizeLimit = number(directory.SizeLimit)
	}
	if claim := deployment.Storage.VolumeClaimTemplate; claim != nil {
		list(claim.Spec.Resources.Requests)
		list(claim.Spec.Resources.Limits)
	}
	deployment.Placement.ReservedCPUs = number(deployment.Placement.ReservedCPUs)
}

// shardedNumbers are those of the routers and config servers.
func shardedNumbers(target *benchv1alpha1.BenchmarkTargetSpec) {
	if target.MongoDB == nil || target.MongoDB.Sharded == nil {
		return
	}
	sharded := target.MongoDB.Sharded
	if sharded.Mongos != nil {
		numbers(sharded.Mongos.Resources)
	}
	if sharded.ConfigServers != nil {
		numbers(sharded.ConfigServers.Resources)
	}
}

func numbers(resources *corev1.ResourceRequirements) {
	if resources != nil {
		list(resources.Limits)
		list(resources.Requests)
	}
}

// list writes the quantities of a list as numbers.
func list(quantities corev1.ResourceList) {
	for name, quantity := range quantities {
		quantities[name] = *number(&quantity)
	}
}

// number is a quantity in thousandths, so that 1Gi and 1024Mi are written alike.
func number(quantity *resource.Quantity) *resource.Quantity {
	if quantity == nil {
		return nil
	}
	return resource.NewMilliQuantity(quantity.MilliValue(), resource.DecimalSI)
}

// revision is the hash of the variants' names and hashes, whatever their order. Repetitions, order, thresholds,
// baseline and parallelism are no part of it: they say how often and in which way the same is measured and compared.
func revision(variants []Variant) string {
	pairs := make([][2]string, 0, len(variants))
	for _, variant := range variants {
		pairs = append(pairs, [2]string{variant.Name, variant.Hash})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return hashOf(struct {
		Format   string      `json:"format"`
		Variants [][2]string `json:"variants"`
	}{hashFormat, pairs})
}

func hashOf(value any) string {
	// Of the types that are hashed here nothing fails to be encoded.
	encoded, _ := strictjson.Encode(value)
	return digest(encoded)[:hashDigits]
}

// digest is the SHA-256 of a text, in hexadecimal.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
