package decide

import (
	"cmp"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// The conditions of a suite.
const (
	accepted  = benchv1alpha1.SuiteAccepted
	complete  = benchv1alpha1.SuiteComplete
	regressed = benchv1alpha1.SuiteRegressed
	passed    = benchv1alpha1.SuitePassed
)

// Observation is everything that a decision about a suite rests on, read at one instant. Nothing in it may be changed:
// it is shared with the cache.
type Observation struct {
	// Now is that instant.
	Now time.Time

	Suite *benchv1alpha1.BenchmarkSuite
	// Plan is what the suite's specification asks for, and Invalid what is wrong with it.
	Plan    suite.Plan
	Invalid field.ErrorList

	// Runs that the suite controls, by name, of all revisions.
	Runs map[string]*benchv1alpha1.BenchmarkRun
	// Targets that the suite controls, by name.
	Targets map[string]*benchv1alpha1.BenchmarkTarget
	// ConfigMaps that the suite controls, by name, without their content.
	ConfigMaps map[string]*corev1.ConfigMap
	// BaselineSuite is the suite that the baseline names; nil when there is none.
	BaselineSuite *benchv1alpha1.BenchmarkSuite

	// Refusals are what the API server has against the objects of Probes, in their order.
	Refusals []Refusal
	// Stored are the ConfigMaps that Needed named, with their content; nil of one that does not exist.
	Stored map[string]*corev1.ConfigMap
}

// Probe is an object that stands for all of its kind that a variant needs: were it refused, so would be the others.
type Probe struct {
	Variant string
	Object  desired.Object
}

// Refusal is the API server's answer to a probe.
type Refusal struct {
	Variant string
	Message string
}

// RefusalOf is what an error of the API server says of the fields of an object; its name says nothing to anybody, for
// there is no such object.
func RefusalOf(variant string, err error) Refusal {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return Refusal{Variant: variant, Message: err.Error()}
	}
	var said []string
	for _, cause := range status.Status().Details.Causes {
		// A cause of no field is that rules were not checked yet.
		if cause.Field != "" && cause.Field != "<nil>" {
			said = append(said, cause.Field+": "+cause.Message)
		}
	}
	return Refusal{Variant: variant, Message: cmp.Or(strings.Join(said, "; "), err.Error())}
}

// Decision is what is to be done about a suite.
type Decision struct {
	// Desired are targets and ConfigMaps that are to be as they are here.
	Desired []desired.Object
	// Observed are what the cluster has of them, and what is to be removed.
	Observed []desired.Object
	// Changes of runs that have not ended.
	Changes []Change
	// Create are the runs that are to be made, in their order, after everything else.
	Create []*benchv1alpha1.BenchmarkRun
	// Status to be written when it differs from the observed one.
	Status benchv1alpha1.BenchmarkSuiteStatus
	// Unstored is the status instead of a complete one when the desired objects could not be written; nil: the same.
	Unstored *benchv1alpha1.BenchmarkSuiteStatus
	// Wait is the time until the suite has to be looked at again although nothing changed. 0: never.
	Wait time.Duration
}

// Change says all that a suite holds in one of its runs once that is made: what it does not hold any more is taken
// back.
type Change struct {
	Run     *benchv1alpha1.BenchmarkRun
	Suspend bool
	Cancel  bool
	// Version is the only one of the run to which this may be done, for it rests on the run not having begun. Empty: any.
	Version string
}

// Annotations by which a suite knows what it did to a run itself.
const (
	// SuspendedAnnotation is on a run that was suspended because its suite is.
	SuspendedAnnotation = "mongobench.dev/suspended-by-suite"
	// CancelledAnnotation is on a run that was cancelled because its suite did not need it any more, or was stopped.
	CancelledAnnotation = "mongobench.dev/cancelled-by-suite"
)

// replace has an object be as desired, given what the cluster has of it.
func (d *Decision) replace(object desired.Object, observed desired.Object, exists bool) {
	d.Desired = append(d.Desired, object)
	if exists {
		d.Observed = append(d.Observed, observed)
	}
}

// HashesAnnotation is on the ConfigMap of a revision's result: the hashes of its variants, whose runs it may share with
// other revisions.
const HashesAnnotation = "mongobench.dev/spec-hashes"

// trackers are the labels and annotations by which tools that bring Git into a cluster know what is theirs.
var trackers = []string{
	"argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance", "app.kubernetes.io/instance",
	"kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name",
}

// tracked says whether an object belongs to such a tool, which then is the one to remove it. What the suite's own
// template put there says nothing.
func (o *Observation) tracked(object metav1.Object) bool {
	given := o.Suite.Spec.Template.Metadata
	for _, key := range trackers {
		label, annotation := object.GetLabels()[key], object.GetAnnotations()[key]
		if label != "" && label != given.Labels[key] || annotation != "" && annotation != given.Annotations[key] {
			return true
		}
	}
	return false
}

func (o *Observation) resultName() string {
	return naming.SuiteResultConfigMap(o.Suite.Name, o.Plan.Revision)
}

// result is what a ConfigMap holds that was read; nil when it cannot be read.
func (o *Observation) result(configMap string) *comparison.Result {
	stored := o.Stored[configMap]
	if stored == nil {
		return nil
	}
	result, err := comparison.DecodeResult(stored.BinaryData[comparison.ResultKey])
	if err != nil {
		return nil
	}
	return &result
}
