package doctor

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
		return fail(check, "uninstall all but one: they do not see each other's runs",
			"%d operators watch namespace %s: %s", len(watching), o.Namespace, strings.Join(names, ", "))
	}
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
