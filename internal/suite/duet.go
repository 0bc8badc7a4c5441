package suite

import (
	"bytes"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Duet says whether each variant of a suite is measured in one run together with the baseline.
func Duet(suite *benchv1alpha1.BenchmarkSuite) bool {
	return *spec.NormaliseSuite(suite.Spec).Order == benchv1alpha1.SuiteDuet
}

// sideBySide says whether the targets of a suite are best on the same nodes: of two that take turns one is at rest.
func sideBySide(suite *benchv1alpha1.BenchmarkSuite) bool {
	return Duet(suite) && *spec.NormaliseSuite(suite.Spec).Duets.Form == benchv1alpha1.DuetAlternating
}

// BaselineOf is the index of the variant that is the baseline of the suite's duets; negative without duets.
func BaselineOf(suite *benchv1alpha1.BenchmarkSuite, variants []Variant) int {
	if !Duet(suite) || suite.Spec.Baseline == nil || suite.Spec.Baseline.Variant == nil {
		return -1
	}
	return slices.IndexFunc(variants, func(v Variant) bool { return v.Name == *suite.Spec.Baseline.Variant })
}

// duets gives each variant but the baseline its other side, and a hash of both: the run of a variant ends when what is
// known of both is enough, so that whatever decides that is a part of what it measures.
func duets(suite *benchv1alpha1.BenchmarkSuite, variants []Variant) {
	at := BaselineOf(suite, variants)
	if at < 0 {
		return
	}
	lines := 0
	for i := range variants {
		if i == at {
			continue
		}
		variants[i].Spec.Duet = duetOf(suite, variants[i], variants[at])
		for _, step := range spec.Compile(variants[i].Spec).Steps {
			lines += len(step.Compare)
		}
	}
	reuse := *spec.NormaliseSuite(suite.Spec).TargetReuse
	for i := range variants {
		if i == at {
			continue
		}
		variants[i].Spec.Duet.ComparedLines = new(int32(max(lines, 1)))
		variants[i].Hash = specHash(&variants[i].Spec, spec.Compile(variants[i].Spec), reuse)
	}
}

func duetOf(suite *benchv1alpha1.BenchmarkSuite, variant, baseline Variant) *benchv1alpha1.Duet {
	made := &benchv1alpha1.Duet{
		Baseline: benchv1alpha1.DuetBaseline{
			Name:      new(baseline.Name),
			TargetRef: benchv1alpha1.NameReference{Name: TargetName(suite, baseline)},
			Spec:      otherwise(variant.Spec, baseline.Spec),
		},
		Thresholds: spec.Thresholds(suite.Spec.Thresholds),
	}
	windows := spec.NormaliseSuite(suite.Spec).Duets
	made.Form, made.WindowSeconds = windows.Form, windows.WindowSeconds
	return made
}

// otherwise is what the baseline declares otherwise than a variant, besides its target; nil when that is nothing.
func otherwise(variant, baseline benchv1alpha1.BenchmarkRunSpec) *runtime.RawExtension {
	type parts struct {
		Preset   *benchv1alpha1.Preset  `json:"preset,omitempty"`
		Dataset  benchv1alpha1.Dataset  `json:"dataset,omitzero"`
		Workload benchv1alpha1.Workload `json:"workload,omitzero"`
	}
	// Of these types nothing fails to be encoded.
	own, _ := strictjson.Encode(parts{variant.Preset, variant.Dataset, variant.Workload})
	other, _ := strictjson.Encode(parts{baseline.Preset, baseline.Dataset, baseline.Workload})
	if bytes.Equal(own, other) {
		return nil
	}
	return &runtime.RawExtension{Raw: other}
}
