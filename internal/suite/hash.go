package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

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
// Left out is what only says when a run is made and what becomes of it (suspend, cancel, concurrency, cleanupPolicy,
// ttlSecondsAfterFinished) and every deadline: a run that kept its deadlines has the same result with others.
type content struct {
	Format      string                             `json:"format"`
	TargetReuse benchv1alpha1.TargetReuse          `json:"targetReuse"`
	Plan        planv1alpha1.Plan                  `json:"plan"`
	Target      *benchv1alpha1.BenchmarkTargetSpec `json:"target,omitempty"`
	TargetRef   string                             `json:"targetRef,omitempty"`
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
		target.ProvisioningSeconds, target.Databases = nil, nil
		slices.SortFunc(target.Parameters, func(a, b benchv1alpha1.ServerParameter) int {
			return strings.Compare(a.Name, b.Name)
		})
		targetNumbers(target)
	}
	if normal.TargetRef != nil {
		all.TargetRef = normal.TargetRef.Name
	}
	return hashOf(all)
}

// targetNumbers writes the quantities of a target as numbers.
func targetNumbers(target *benchv1alpha1.BenchmarkTargetSpec) {
	numbers(target.Resources)
	if sharded := target.Sharded; sharded != nil && sharded.Mongos != nil {
		numbers(sharded.Mongos.Resources)
	}
	if sharded := target.Sharded; sharded != nil && sharded.ConfigServers != nil {
		numbers(sharded.ConfigServers.Resources)
	}
	if target.Storage != nil {
		target.Storage.Size = number(target.Storage.Size)
	}
	if target.Placement != nil {
		target.Placement.ReservedCPUs = number(target.Placement.ReservedCPUs)
	}
}

func numbers(resources *benchv1alpha1.PodResources) {
	if resources == nil {
		return // Nothing is deployed.
	}
	resources.CPU, resources.CPURequest = number(resources.CPU), number(resources.CPURequest)
	resources.Memory, resources.MemoryRequest = number(resources.Memory), number(resources.MemoryRequest)
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
