package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/reason"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	// ownDomain is that of the keys of labels and annotations that the operator keeps for itself.
	ownDomain = "mongobench.dev"
	// managedBy is a label that says who made an object.
	managedBy = "app.kubernetes.io/managed-by"
)

// leastHistory and mostHistory are the limits of what the stored reports of a suite may take.
var leastHistory, mostHistory = resource.MustParse("1Mi"), resource.MustParse("8Gi")

// ValidateSuite finds what is wrong with a suite that the API server accepted, as far as it can be told without working
// out the variants. suite.Compile begins with it and tells the rest.
func ValidateSuite(suite *benchv1alpha1.BenchmarkSuite) field.ErrorList {
	found, path := &product.Findings{}, field.NewPath("spec")
	validateRunMetadata(found, suite.Spec.Template.Metadata, path.Child("template", "metadata"))
	found.Forbid(ptr.Deref(suite.Spec.Template.Spec.Cancel, false), path.Child("template", "spec", "cancel"),
		"it would end every run at once; leave it out")
	found.Forbid(suite.Spec.Template.Spec.TTLSecondsAfterFinished != nil,
		path.Child("template", "spec", "ttlSecondsAfterFinished"), NoTTL)
	validateExclude(found, ptr.Deref(suite.Spec.Matrix, benchv1alpha1.Matrix{}), path.Child("matrix"))
	validateThresholds(found, suite.Spec.Thresholds, path.Child("thresholds"))
	validateBaseline(found, suite, path.Child("baseline"))
	validateSuiteDuet(found, &suite.Spec, path)
	validateSearch(found, &suite.Spec, path)
	validateTolerated(found, &suite.Spec, path)
	if kept := suite.Spec.HistorySizeLimit; kept != nil {
		found.Refuse(kept.Cmp(leastHistory) < 0 || kept.Cmp(mostHistory) > 0, path.Child("historySizeLimit"), kept.String(),
			"must be from %s to %s", &leastHistory, &mostHistory)
	}
	return found.ErrorList
}

// validateTolerated wants the doubts and the differences that a comparison is to overlook to be some that there are: a
// misspelt one would overlook nothing.
func validateTolerated(found *product.Findings, declared *benchv1alpha1.BenchmarkSuiteSpec, path *field.Path) {
	for i, name := range declared.AllowDoubts {
		if known := reason.Doubts(); !slices.Contains(known, name) {
			found.Add(field.NotSupported(path.Child("allowDoubts").Index(i), name, known))
		}
	}
	for i, name := range declared.IgnoreDifferences {
		if !slices.Contains(spec.ComparedFields, name) {
			found.Add(field.NotSupported(path.Child("ignoreDifferences").Index(i), name, spec.ComparedFields))
		}
	}
}

// NoTTL is why a run of a suite has no ttlSecondsAfterFinished.
const NoTTL = "the suite would make the run again; spec.revisionHistoryLimit says how long runs stay, and " +
	"keepSeconds how long their pods do"

func validateRunMetadata(found *product.Findings, metadata benchv1alpha1.RunTemplateMetadata, path *field.Path) {
	found.Add(metav1validation.ValidateLabels(metadata.Labels, path.Child("labels"))...)
	found.Add(apivalidation.ValidateAnnotations(metadata.Annotations, path.Child("annotations"))...)
	validateKeys(found, metadata.Labels, path.Child("labels"))
	validateKeys(found, metadata.Annotations, path.Child("annotations"))
}

// validateKeys refuses what the operator writes itself.
func validateKeys(found *product.Findings, given map[string]string, path *field.Path) {
	for _, key := range slices.Sorted(maps.Keys(given)) {
		domain, _, _ := strings.Cut(key, "/")
		found.Forbid(domain == ownDomain || strings.HasSuffix(domain, "."+ownDomain) || key == managedBy, path.Key(key),
			"the operator keeps it for itself; leave it out")
	}
}

// validateExclude wants what is excluded to be there.
func validateExclude(found *product.Findings, matrix benchv1alpha1.Matrix, path *field.Path) {
	known := map[string][]string{}
	for _, dimension := range matrix.Dimensions {
		names := make([]string, 0, len(dimension.Choices))
		for _, choice := range dimension.Choices {
			names = append(names, choice.Name)
		}
		known[dimension.Name] = names
	}
	for i := range matrix.Exclude {
		at, choices := path.Child("exclude").Index(i).Child("choices"), matrix.Exclude[i].Choices
		for _, dimension := range slices.Sorted(maps.Keys(choices)) {
			names, declared := known[dimension]
			found.Refuse(!declared, at.Key(dimension), dimension,
				"no dimension has this name; there are %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			if declared && !slices.Contains(names, choices[dimension]) {
				found.Add(field.NotSupported(at.Key(dimension), choices[dimension], names))
			}
		}
	}
}

// compared is what a threshold or a figure is about.
type compared struct {
	metric          benchv1alpha1.Metric
	step, operation string
}

func validateThresholds(found *product.Findings, thresholds []benchv1alpha1.Threshold, path *field.Path) {
	before := map[compared]bool{}
	for i, threshold := range thresholds {
		one := compared{threshold.Metric, ptr.Deref(threshold.Step, ""), ptr.Deref(threshold.Operation, "")}
		loading := one.metric == benchv1alpha1.MetricLoadDocumentsPerSecond
		switch {
		case loading && one.step != "":
			found.Forbid(true, path.Index(i).Child("step"), "the loading belongs to no step; leave it out")
		case one.operation != "" && !figure.OfOperations(one.metric):
			found.Add(field.Forbidden(path.Index(i).Child("operation"), fmt.Sprintf(
				"the %s belongs to no operation; leave it out", figure.ComparedBy(one.metric).Name)))
		case before[one]:
			found.Add(field.Duplicate(path.Index(i), fmt.Sprintf(
				"metric %s, step %q, operation %q", one.metric, one.step, one.operation)))
		}
		before[one] = true
	}
}

func validateBaseline(found *product.Findings, suite *benchv1alpha1.BenchmarkSuite, path *field.Path) {
	baseline := ptr.Deref(suite.Spec.Baseline, benchv1alpha1.Baseline{})
	validateThresholds(found, spec.FigureThresholds(baseline.Figures), path.Child("figures"))
	if other := baseline.Suite; other != nil && other.Name == suite.Name && other.Revision == nil {
		found.Add(field.Required(path.Child("suite", "revision"),
			"the latest revision of the suite itself is what is compared; name an earlier one, or use previousRevision"))
	}
}
