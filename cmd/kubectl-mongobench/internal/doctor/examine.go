package doctor

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/config/crd"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// operatorLabel has the value operatorName on every Deployment that the chart makes.
const (
	operatorLabel = "app.kubernetes.io/name"
	operatorName  = "mongobench-operator"
)

// Read is what was read or, with an error, why it was not.
type Read[T any] struct {
	Value T
	Err   error
}

// Observation is all that the checks look at.
type Observation struct {
	// Namespace that runs are to be made in, and Space the object of it.
	Namespace string
	Space     Read[corev1.Namespace]
	// Operators are the Deployments of operators in all namespaces.
	Operators Read[[]appsv1.Deployment]
	// Lease says which of them works in the namespace.
	Lease Read[coordinationv1.Lease]
	// Definitions of the kinds, in the order of crd.Names; Served are the kinds that the API server knows.
	Definitions []Read[unstructured.Unstructured]
	Served      []bool
	Rights      Read[[]Right]
	Classes     Read[[]storagev1.StorageClass]
	Nodes       Read[estimate.Nodes]
	Quotas      Read[[]corev1.ResourceQuota]
	Limits      Read[[]corev1.LimitRange]
	// Monitoring says whether the kinds of the Prometheus Operator are there.
	Monitoring Read[bool]
	// Runs of all namespaces or, where they may not be listed, of this one.
	Runs Read[[]benchv1alpha1.BenchmarkRun]
}

// Right is something that a command needs the user to be allowed.
type Right struct {
	// Command that needs it.
	Command string
	// Group, Resource and Verb of the request.
	Group, Resource, Verb string
	Allowed               bool
}

// needed are the rights that commands need, in the namespace.
func needed() []Right {
	var rights []Right
	add := func(command, group, resource string, verbs ...string) {
		for _, verb := range verbs {
			rights = append(rights, Right{Command: command, Group: group, Resource: resource, Verb: verb})
		}
	}
	group := benchv1alpha1.GroupVersion.Group
	add("run", group, "benchmarkruns", "get", "list", "create", "patch")
	add("run", group, "benchmarksuites", "get", "create", "patch")
	add("report", group, "benchmarkruns", "get")
	add("report", group, "benchmarksuites", "get")
	add("report", "", "configmaps", "get")
	for _, resource := range []string{"benchmarkruns", "benchmarksuites", "benchmarktargets"} {
		add("rm", group, resource, "get", "delete")
	}
	return rights
}

// Observe reads what the checks look at. It fails only when the API server does not answer.
func Observe(ctx context.Context, c client.Client, namespace string) (Observation, error) {
	o := Observation{Namespace: namespace}
	o.Space.Err = c.Get(ctx, client.ObjectKey{Name: namespace}, &o.Space.Value)
	// An answer of the API server has a reason; anything else never came from one.
	if o.Space.Err != nil && apierrors.ReasonForError(o.Space.Err) == metav1.StatusReasonUnknown {
		return o, fmt.Errorf("asking the API server: %w", o.Space.Err)
	}
	here := client.InNamespace(namespace)
	var (
		operators appsv1.DeploymentList
		classes   storagev1.StorageClassList
		quotas    corev1.ResourceQuotaList
		limits    corev1.LimitRangeList
		runs      benchv1alpha1.BenchmarkRunList
	)
	o.Lease.Err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: naming.InstallationLease}, &o.Lease.Value)
	o.Operators.Err = c.List(ctx, &operators, client.MatchingLabels{operatorLabel: operatorName})
	o.Classes.Err = c.List(ctx, &classes)
	o.Quotas.Err = c.List(ctx, &quotas, here)
	o.Limits.Err = c.List(ctx, &limits, here)
	o.Rights = rights(ctx, c, namespace)
	o.Nodes.Value, o.Nodes.Err = estimate.ReadNodes(ctx, c)
	if o.Runs.Err = c.List(ctx, &runs); apierrors.IsForbidden(o.Runs.Err) {
		o.Runs.Err = c.List(ctx, &runs, here)
	}
	o.Operators.Value, o.Classes.Value, o.Runs.Value = operators.Items, classes.Items, runs.Items
	o.Quotas.Value, o.Limits.Value = quotas.Items, limits.Items
	observeKinds(ctx, c, &o)
	return o, nil
}

// rights asks the API server, for each right that is needed, whether the user has it.
func rights(ctx context.Context, c client.Client, namespace string) Read[[]Right] {
	all := needed()
	for i := range all {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Group: all[i].Group, Resource: all[i].Resource, Verb: all[i].Verb,
			},
		}}
		if err := c.Create(ctx, review); err != nil {
			return Read[[]Right]{Err: err}
		}
		all[i].Allowed = review.Status.Allowed
	}
	return Read[[]Right]{Value: all}
}

// observeKinds reads the definitions of our kinds, and looks for those of the Prometheus Operator.
func observeKinds(ctx context.Context, c client.Client, o *Observation) {
	for _, name := range crd.Names() {
		var found Read[unstructured.Unstructured]
		found.Value.SetGroupVersionKind(schema.GroupVersionKind{
			Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
		})
		found.Err = c.Get(ctx, client.ObjectKey{Name: name}, &found.Value)
		o.Definitions = append(o.Definitions, found)
		group := schema.ParseGroupResource(name)
		_, err := c.RESTMapper().KindFor(group.WithVersion(benchv1alpha1.GroupVersion.Version))
		o.Served = append(o.Served, err == nil)
	}
	o.Monitoring.Value = true
	for _, kind := range []string{"ServiceMonitor", "PrometheusRule"} {
		_, err := c.RESTMapper().RESTMapping(schema.GroupKind{Group: "monitoring.coreos.com", Kind: kind}, "v1")
		switch {
		case apimeta.IsNoMatchError(err):
			o.Monitoring.Value = false
		case err != nil:
			o.Monitoring.Err = err
		}
	}
}

// Examine runs all checks, in the order in which a run would come to grief.
func Examine(o Observation) []Finding {
	return slices.Concat(
		[]Finding{operator(o)},
		definitions(o),
		rightsOf(o),
		[]Finding{namespace(o)},
		policies(o, "quota", "ResourceQuota", o.Quotas, quota),
		policies(o, "limit range", "LimitRange", o.Limits, limitRange),
		[]Finding{storage(o)},
		nodes(o),
		[]Finding{monitoring(o)},
		kernel(o),
	)
}

// monitoring is optional: no run needs it.
func monitoring(o Observation) Finding {
	const check = "prometheus"
	switch {
	case o.Monitoring.Err != nil:
		return unseen(check, "the kinds of the Prometheus Operator", o.Monitoring.Err)
	case o.Monitoring.Value:
		return ok(check, "ServiceMonitor and PrometheusRule are known: the chart's serviceMonitor and prometheusRule work")
	default:
		return ok(check, "the Prometheus Operator is not there; only the chart's serviceMonitor and prometheusRule need it")
	}
}

// Level says how grave a finding is.
type Level string

// The levels.
const (
	// OK is as it should be.
	OK Level = "ok"
	// Warn is what may spoil a result or keep some runs from starting, and all that could not be seen.
	Warn Level = "warn"
	// Fail is what no run gets past.
	Fail Level = "fail"
)

// Finding is what one check came to.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Found is what there is, and Do what to do about it; empty when there is nothing to be done.
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// Failed says whether any of them is a Fail.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Fail })
}

func ok(check, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: OK, Found: fmt.Sprintf(format, arguments...)}
}

func warn(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Warn, Found: fmt.Sprintf(format, arguments...), Do: do}
}

func fail(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Fail, Found: fmt.Sprintf(format, arguments...), Do: do}
}

// unseen is what could not be read.
func unseen(check, what string, err error) Finding {
	if apierrors.IsForbidden(err) {
		return warn(check, "ask for the right to list them, or ask someone who has it to check",
			"unknown: %s may not be listed by this user", what)
	}
	return warn(check, "try again", "unknown: reading %s: %v", what, err)
}
