package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/room"
)

// nodesShown is how many nodes have a line of their own.
const nodesShown = 32

// nodes tells what each node has and how much of it is free, and then whether one has room for a member.
func nodes(o Observation) []Finding {
	const check = "nodes"
	switch {
	case apierrors.IsForbidden(o.Nodes.Err):
		return []Finding{warn(check, "ask for the right to list nodes and pods of the cluster",
			"unknown: this user may not list them, and only the scheduler knows whether runs fit")}
	case o.Nodes.Err != nil:
		return []Finding{unseen(check, "the nodes", o.Nodes.Err)}
	case len(o.Nodes.Value.All) == 0:
		return []Finding{fail(check, "add one, or wait until the autoscaler does", "the cluster has none")}
	}
	all := o.Nodes.Value.All
	findings := make([]Finding, 0, min(len(all), nodesShown)+2)
	for _, node := range all[:min(len(all), nodesShown)] {
		findings = append(findings, nodeFinding(node, o.Nodes.Value.PodsUnknown))
	}
	if more := len(all) - nodesShown; more > 0 {
		findings = append(findings, ok(check, "%d more are not shown", more))
	}
	return append(findings, largest(all, o.Nodes.Value.PodsUnknown))
}

func nodeFinding(node room.Node, podsUnknown error) Finding {
	check := "node " + node.Name
	has := fmt.Sprintf("%s, kernel %s, for pods %s", node.Type, node.Kernel, node.Has)
	closed := node.Closed(nil, nil)
	switch {
	case !node.Ready:
		return warn(check, "see kubectl describe node "+node.Name, "%s: %s", has, closed)
	case podsUnknown != nil:
		return warn(check, "ask for the right to list the pods of all namespaces",
			"%s; unknown: what is taken of it, for pods may not be listed", has)
	}
	what := fmt.Sprintf("%s, of that %s free, %d of %d pods there", has, node.Free(), node.Taken.Pods, node.Has.Pods)
	if closed != "" {
		what += "; " + closed
	}
	return ok(check, "%s", what)
}

// largest wants a node that has room for a member of the default size.
func largest(all []room.Node, podsUnknown error) Finding {
	const check = "room"
	member := defaultMember().Requests
	member.Pods = 1
	fits, ever := 0, 0
	for _, node := range all {
		if node.Closed(nil, nil) != "" {
			continue
		}
		if node.Has.Covers(member) {
			ever++
		}
		if node.Free().Covers(member) {
			fits++
		}
	}
	asks := fmt.Sprintf("a member of the default size, which asks for %s", member)
	switch {
	case ever == 0:
		return fail(check, "add a node, or declare smaller resources", "no node that takes any pod can hold %s", asks)
	case podsUnknown != nil:
		return warn(check, "ask for the right to list the pods of all namespaces",
			"%d of %d nodes are large enough for %s; unknown: whether they have room", ever, len(all), asks)
	case fits == 0:
		return warn(check, "free something, or declare smaller resources",
			"%d of %d nodes are large enough for %s, and none has room now", ever, len(all), asks)
	default:
		return ok(check, "%d of %d nodes have room for %s", fits, len(all), asks)
	}
}

// defaultClass marks the class that volumes get which name none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

// storage wants a default class that chooses a volume's place together with that of its pod.
func storage(o Observation) Finding {
	const check = "storage class"
	if o.Classes.Err != nil {
		return unseen(check, "the StorageClasses", o.Classes.Err)
	}
	const name = "name one in storage.storageClassName of targets, or take medium EmptyDir or Memory"
	byDefault := defaults(o.Classes.Value)
	if len(byDefault) == 0 {
		return warn(check, name, "none of %d is the default: targets that name none wait for a volume in vain",
			len(o.Classes.Value))
	}
	class := byDefault[0]
	what := fmt.Sprintf("%s of %s is the default", class.Name, class.Provisioner)
	if class.ReclaimPolicy != nil && *class.ReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
		what += "; it keeps volumes when a run is over (Retain), and you have to delete them yourself"
	}
	switch {
	case len(byDefault) > 1:
		var names []string
		for _, class := range byDefault {
			names = append(names, class.Name)
		}
		return warn(check, "leave the mark on one of them", "%d are marked as the default, and the youngest counts: %s",
			len(byDefault), strings.Join(names, ", "))
	case class.VolumeBindingMode == nil || *class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer:
		return warn(check, name, "%s; it binds at once, so that a volume may lie where its member does not fit", what)
	default:
		return ok(check, "%s; it binds where the member is put (WaitForFirstConsumer)", what)
	}
}

// defaults are the classes that are marked, the one that counts first.
func defaults(all []storagev1.StorageClass) []storagev1.StorageClass {
	marked := slices.DeleteFunc(slices.Clone(all), func(class storagev1.StorageClass) bool {
		return class.Annotations[defaultClass] != "true"
	})
	slices.SortFunc(marked, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return marked
}
