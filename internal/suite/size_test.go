package suite_test

import (
	"fmt"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// largeTemplate is a suite of as many variants, whose template has as many bytes, most of them in the documents of its
// operations.
func largeTemplate(t *testing.T, variants, bytes int) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	declared := small(t, "repetitions: 5\nmatrix: {dimensions: ["+many("d", variants/4)+", "+many("e", 4)+"]}")
	step := &declared.Spec.Template.Spec.Workload.Steps[0]
	const each = 8000 // A document has at most 8192 characters.
	for i := range bytes / each {
		one := *step.Operations[0].DeepCopy()
		one.Name = fmt.Sprintf("padded%d", i)
		one.Filter = benchv1alpha1.Document(`{"a":"` + strings.Repeat("x", each) + `"}`)
		step.Operations = append(step.Operations, one)
	}
	return declared
}

// TestVariantsThatNobodyCanHold: each of 200 variants of a template of 232 KiB would be held at once.
func TestVariantsThatNobodyCanHold(t *testing.T) {
	_, errs := suite.Compile(largeTemplate(t, 200, 232<<10))
	check(t, errs, []string{"spec.matrix: the variants may have 8 MiB together, and those of the first 36 have more"})
	_, errs = suite.Compile(largeTemplate(t, 8, 1<<20))
	check(t, errs, []string{"spec.matrix: those of the first 8 have more"})
}

func TestTemplatesThatAreLargeAndFit(t *testing.T) {
	plan, errs := suite.Compile(largeTemplate(t, 200, 38<<10))
	if len(errs) > 0 || len(plan.Variants) != 200 {
		t.Errorf("%d variants; %v", len(plan.Variants), errs)
	}
}
