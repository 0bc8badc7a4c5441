package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// ownDomain is that of the keys of labels and annotations that the operator keeps for itself.
	ownDomain = "mongobench.dev"
	// managedBy is a label that says who made an object.
	managedBy = "app.kubernetes.io/managed-by"
)

// ValidateSuite finds what is wrong with a suite that the API server accepted, as far as it can be told without working
// out the variants. suite.Compile begins with it and tells the rest.
func ValidateSuite(suite *benchv1alpha1.BenchmarkSuite) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateRunMetadata(suite.Spec.Template.Metadata, path.Child("template", "metadata"))
	if ptr.Deref(suite.Spec.Template.Spec.Cancel, false) {
		errs = append(errs, field.Forbidden(path.Child("template", "spec", "cancel"), "it would end every run at once"))
	}
	errs = append(errs, validateExclude(ptr.Deref(suite.Spec.Matrix, benchv1alpha1.Matrix{}), path.Child("matrix"))...)
	errs = append(errs, validateThresholds(suite.Spec.Thresholds, path.Child("thresholds"))...)
	return append(errs, validateBaseline(suite, path.Child("baseline"))...)
}

func validateRunMetadata(metadata benchv1alpha1.RunTemplateMetadata, path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(metadata.Labels, path.Child("labels"))
	errs = append(errs, apivalidation.ValidateAnnotations(metadata.Annotations, path.Child("annotations"))...)
	errs = append(errs, validateKeys(metadata.Labels, path.Child("labels"))...)
	return append(errs, validateKeys(metadata.Annotations, path.Child("annotations"))...)
}

// validateKeys refuses what the operator writes itself.
func validateKeys(given map[string]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(given)) {
		domain, _, _ := strings.Cut(key, "/")
		if domain == ownDomain || strings.HasSuffix(domain, "."+ownDomain) || key == managedBy {
			errs = append(errs, field.Forbidden(path.Key(key), "the operator keeps it for itself"))
		}
	}
	return errs
}

// validateExclude wants what is excluded to be there.
func validateExclude(matrix benchv1alpha1.Matrix, path *field.Path) field.ErrorList {
	known := map[string][]string{}
	for _, dimension := range matrix.Dimensions {
		names := make([]string, 0, len(dimension.Choices))
		for _, choice := range dimension.Choices {
			names = append(names, choice.Name)
		}
		known[dimension.Name] = names
	}
	errs := make(field.ErrorList, 0, len(matrix.Exclude))
	for i := range matrix.Exclude {
		at := path.Child("exclude").Index(i).Child("choices")
		errs = append(errs, validateChoices(matrix.Exclude[i].Choices, known, at)...)
	}
	return errs
}

// validateChoices wants choices that are among those known of their dimensions.
func validateChoices(choices map[string]string, known map[string][]string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, dimension := range slices.Sorted(maps.Keys(choices)) {
		names, declared := known[dimension]
		switch {
		case !declared:
			errs = append(errs, field.Invalid(path.Key(dimension), dimension, "no dimension has this name"))
		case !slices.Contains(names, choices[dimension]):
			errs = append(errs, field.NotSupported(path.Key(dimension), choices[dimension], names))
		}
	}
	return errs
}

// compared is what a threshold or a figure is about.
type compared struct {
	metric          benchv1alpha1.Metric
	step, operation string
}

func validateThresholds(thresholds []benchv1alpha1.Threshold, path *field.Path) field.ErrorList {
	all := make([]compared, 0, len(thresholds))
	for _, threshold := range thresholds {
		all = append(all, compared{
			threshold.Metric, ptr.Deref(threshold.Step, ""), ptr.Deref(threshold.Operation, ""),
		})
	}
	return validateCompared(all, path)
}

func validateCompared(all []compared, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, one := range all {
		loading := one.metric == benchv1alpha1.MetricLoadDocumentsPerSecond
		switch {
		case loading && one.step != "":
			errs = append(errs, field.Forbidden(path.Index(i).Child("step"), "the loading belongs to no step"))
		case loading && one.operation != "":
			errs = append(errs, field.Forbidden(path.Index(i).Child("operation"), "the loading belongs to no operation"))
		case slices.Contains(all[:i], one):
			errs = append(errs, field.Duplicate(path.Index(i), fmt.Sprintf(
				"metric %s, step %q, operation %q", one.metric, one.step, one.operation)))
		}
	}
	return errs
}

func validateBaseline(suite *benchv1alpha1.BenchmarkSuite, path *field.Path) field.ErrorList {
	baseline := ptr.Deref(suite.Spec.Baseline, benchv1alpha1.Baseline{})
	all := make([]compared, 0, len(baseline.Figures))
	for _, figure := range baseline.Figures {
		all = append(all, compared{figure.Metric, ptr.Deref(figure.Step, ""), ptr.Deref(figure.Operation, "")})
	}
	errs := validateCompared(all, path.Child("figures"))
	if other := baseline.Suite; other != nil && other.Name == suite.Name && other.Revision == nil {
		errs = append(errs, field.Required(path.Child("suite", "revision"),
			"the latest revision of the suite itself is what is compared; name an earlier one, or use previousRevision"))
	}
	return errs
}
