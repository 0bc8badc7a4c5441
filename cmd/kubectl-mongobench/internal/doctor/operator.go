package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/crd"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	managerContainer = "manager"
	// namespacesFlag is what an operator has that watches some namespaces only.
	namespacesFlag = "--namespaces="
	versionLabel   = "app.kubernetes.io/version"
)

// operator wants one operator that is ready and watches the namespace.
func operator(o Observation) Finding {
	const check = "operator"
	if o.Operators.Err != nil {
		return unseen(check, "the Deployments of all namespaces", o.Operators.Err)
	}
	if len(o.Operators.Value) == 0 {
		return fail(check, "install the chart charts/mongobench-operator",
			"no namespace has a Deployment with the label %s=%s", operatorLabel, operatorName)
	}
	var watching []appsv1.Deployment
	var elsewhere []string
	for _, found := range o.Operators.Value {
		watched := watchedBy(&found)
		if len(watched) == 0 || slices.Contains(watched, o.Namespace) {
			watching = append(watching, found)
			continue
		}
		elsewhere = append(elsewhere, fmt.Sprintf("%s watches %s", nameOf(&found), strings.Join(watched, ", ")))
	}
	switch len(watching) {
	case 0:
		return fail(check, "make runs there with -n, or add the namespace to watchNamespaces of the chart",
			"no operator watches namespace %s: %s", o.Namespace, strings.Join(elsewhere, "; "))
	case 1:
		return readiness(check, &watching[0])
	default:
		names := make([]string, 0, len(watching))
		for i := range watching {
			names = append(names, nameOf(&watching[i]))
		}
		return fail(check, "uninstall all but one, or give each other namespaces by watchNamespaces",
			"%d operators watch namespace %s: %s%s", len(watching), o.Namespace, strings.Join(names, ", "), o.worker())
	}
}

// worker says which operator works in the namespace, if its Lease may be seen.
func (o Observation) worker() string {
	lease := o.Lease.Value.Spec
	if o.Lease.Err != nil || lease.HolderIdentity == nil || lease.RenewTime == nil {
		return ""
	}
	return fmt.Sprintf("; the Lease %s was last renewed by %s, at %s: the others leave the namespace to it",
		naming.InstallationLease, *lease.HolderIdentity, lease.RenewTime.UTC().Format(time.RFC3339))
}

func readiness(check string, found *appsv1.Deployment) Finding {
	wanted := int32(1)
	if found.Spec.Replicas != nil {
		wanted = *found.Spec.Replicas
	}
	what := fmt.Sprintf("%s, version %s, %d of %d ready", nameOf(found), versionOf(found), found.Status.ReadyReplicas,
		wanted)
	look := fmt.Sprintf("see kubectl -n %s describe deployment %s", found.Namespace, found.Name)
	switch {
	case wanted == 0:
		return fail(check, fmt.Sprintf("kubectl -n %s scale deployment %s --replicas=1", found.Namespace, found.Name),
			"%s: it is scaled to none", what)
	case found.Status.ReadyReplicas == 0:
		return fail(check, look, "%s%s", what, trouble(found))
	case found.Status.ObservedGeneration < found.Generation || found.Status.UpdatedReplicas < wanted:
		return warn(check, "wait until it has ended", "%s: a rollout goes on", what)
	default:
		// One leads, and the others only wait for it to go away.
		return ok(check, "%s", what)
	}
}

// trouble is what the Deployment says of why nothing is ready.
func trouble(found *appsv1.Deployment) string {
	for _, condition := range found.Status.Conditions {
		if condition.Status != corev1.ConditionTrue && condition.Message != "" {
			return ": " + condition.Message
		}
	}
	return ""
}

func nameOf(found *appsv1.Deployment) string { return found.Namespace + "/" + found.Name }

// watchedBy are the namespaces that an operator watches; none is all of them.
func watchedBy(found *appsv1.Deployment) []string {
	container := manager(found)
	if container == nil {
		return nil
	}
	for _, argument := range slices.Concat(container.Command, container.Args) {
		if names, ok := strings.CutPrefix(argument, namespacesFlag); ok {
			return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return nil
}

// versionOf is the tag of the image or, where that is a digest, what the chart says.
func versionOf(found *appsv1.Deployment) string {
	if container := manager(found); container != nil && !strings.Contains(container.Image, "@") {
		// A colon before the last slash is that of a port.
		last := container.Image[strings.LastIndex(container.Image, "/")+1:]
		if _, tag, tagged := strings.Cut(last, ":"); tagged {
			return tag
		}
	}
	if labelled := found.Labels[versionLabel]; labelled != "" {
		return labelled
	}
	return "unknown"
}

func manager(found *appsv1.Deployment) *corev1.Container {
	containers := found.Spec.Template.Spec.Containers
	at := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == managerContainer })
	if at < 0 {
		return nil
	}
	return &containers[at]
}

const (
	applyDefinitions = "kubectl apply --server-side -f config/crd (Helm installs definitions and never updates them)"
	// fieldsNamed is how many fields a finding names at most.
	fieldsNamed = 3
)

// definitions wants the kinds to be those that this program was built with.
func definitions(o Observation) []Finding {
	findings := make([]Finding, 0, len(o.Definitions))
	for i, name := range crd.Names()[:len(o.Definitions)] {
		findings = append(findings, definition(name, o.Definitions[i], o.Served[i]))
	}
	return findings
}

func definition(name string, found Read[unstructured.Unstructured], served bool) Finding {
	check := "kind " + name
	switch {
	case apierrors.IsNotFound(found.Err):
		return fail(check, applyDefinitions, "it is not installed")
	case found.Err != nil && !served:
		return fail(check, applyDefinitions, "version %s is not served", benchv1alpha1.GroupVersion.Version)
	case apierrors.IsForbidden(found.Err):
		return warn(check, "ask for the right to get customresourcedefinitions, or ask someone who has it to check",
			"it is served; unknown: this user may not see whether it is of this version")
	case found.Err != nil:
		return unseen(check, "its definition", found.Err)
	}
	there, reason := schemaOf(found.Value.Object)
	if reason != "" {
		return fail(check, applyDefinitions, "%s", reason)
	}
	return compared(check, built()[name], there)
}

// built are the schemas that this program was built with, by the names of their definitions.
var built = sync.OnceValue(func() map[string]map[string]any {
	schemas := map[string]map[string]any{}
	for _, name := range crd.Names() {
		content, _ := crd.Read(name)
		definition := &unstructured.Unstructured{}
		// What was compiled in can be read.
		if encoded, err := yaml.YAMLToJSON(content); err == nil {
			_ = definition.UnmarshalJSON(encoded)
		}
		schemas[name], _ = schemaOf(definition.Object)
	}
	return schemas
})

// schemaOf is the schema of our version in a definition, or why there is none.
func schemaOf(definition map[string]any) (map[string]any, string) {
	version := benchv1alpha1.GroupVersion.Version
	versions, _, _ := unstructured.NestedSlice(definition, "spec", "versions")
	for _, entry := range versions {
		declared, _ := entry.(map[string]any)
		if declared["name"] != version {
			continue
		}
		if declared["served"] != true {
			return nil, "version " + version + " is not served"
		}
		schema, _, _ := unstructured.NestedMap(declared, "schema", "openAPIV3Schema")
		return schema, ""
	}
	return nil, "it has no version " + version
}

// compared tells a definition that lacks fields, so that files with them are refused, from one that has more.
func compared(check string, ours, there map[string]any) Finding {
	lacks, more := map[string]bool{}, map[string]bool{}
	fields(ours, "", lacks)
	fields(there, "", more)
	for field := range maps.Clone(lacks) {
		if more[field] {
			delete(lacks, field)
			delete(more, field)
		}
	}
	switch {
	case len(lacks) > 0:
		return fail(check, applyDefinitions, "it is of another version: it lacks %s", some(lacks))
	case len(more) > 0:
		return warn(check, "take the kubectl-mongobench of that version",
			"it is newer than this program: it has %s as well", some(more))
	case !reflect.DeepEqual(ours, there):
		return warn(check, applyDefinitions, "it has the fields of this version, with other rules")
	default:
		return ok(check, "it is of this version")
	}
}

// fields collects the paths of all fields of a schema.
func fields(schema map[string]any, path string, into map[string]bool) {
	properties, _ := schema["properties"].(map[string]any)
	for name, entry := range properties {
		if nested, isSchema := entry.(map[string]any); isSchema {
			at := strings.TrimPrefix(path+"."+name, ".")
			into[at] = true
			fields(nested, at, into)
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if nested, isSchema := schema[inner].(map[string]any); isSchema {
			fields(nested, path+"[]", into)
		}
	}
}

// some names the first of some fields: those above the others say most.
func some(paths map[string]bool) string {
	sorted := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(strings.Count(a, ".")-strings.Count(b, "."), strings.Compare(a, b))
	})
	if len(sorted) <= fieldsNamed {
		return strings.Join(sorted, ", ")
	}
	return fmt.Sprintf("%s and %d more fields", strings.Join(sorted[:fieldsNamed], ", "), len(sorted)-fieldsNamed)
}
