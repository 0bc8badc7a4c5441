package settings

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// Settings are what the operator was started with.
type Settings struct {
	// LoadgenImage is the image of the topology Jobs, the load pods, and the init container of the members.
	LoadgenImage string
	// ImageRepositories are where the images of targets come from that name none; their version is the tag.
	ImageRepositories map[benchv1alpha1.Product]string
	// AllowedImages are those that targets and runs may name.
	AllowedImages Images
	// Gates are the experimental features that targets and runs may use.
	Gates Gates
	// MaxConcurrentReconciles is the number of objects of one kind that are reconciled at once. 0 means 2.
	MaxConcurrentReconciles int
	// RunsPerNodePool is how many runs of a node pool may be admitted at once, unless they say something else. 0 means no
	// limit.
	RunsPerNodePool int
	// PodDefaults are what all pods are given, besides what is built in; a target or a run adds to them.
	PodDefaults benchv1alpha1.PodSettings
	// Platform is the kind of cluster.
	Platform Platform
	// IPv6 says that pods of the cluster have IPv6 addresses.
	IPv6 bool
	// APIServerPorts are where load pods and topology Jobs reach the API server. With any, NetworkPolicies let them out to
	// it, to the members and to DNS, and nowhere else.
	APIServerPorts []int32
	// PriceList is the ConfigMap with the price list of runs that name none. Without a name there is none.
	PriceList types.NamespacedName
	// Namespaces that are watched. None means all.
	Namespaces []string
	// Installation is what other installations know this one by, in the Leases of the namespaces that it works in. Empty:
	// no Lease is asked for.
	Installation string
}

// Platform is a kind of cluster, as far as pods are made otherwise in it.
type Platform string

// The platforms.
const (
	// PlatformKubernetes is any cluster that takes the user and group of a pod from its specification.
	PlatformKubernetes Platform = "Kubernetes"
	// PlatformOpenShift gives pods a user of the range of their namespace, and refuses those that name one.
	PlatformOpenShift Platform = "OpenShift"
)

// Pods are the settings of pods for which these are declared, with what is built in, the platform's and the operator's.
func (s Settings) Pods(declared *benchv1alpha1.PodSettings) benchv1alpha1.PodSettings {
	all := podspec.BuiltIn()
	if s.Platform == PlatformOpenShift {
		all.SecurityContext = &benchv1alpha1.PodSecurityContext{IDs: new(benchv1alpha1.PodIDsNamespace)}
	}
	return podspec.Merge(podspec.Merge(all, &s.PodDefaults), declared)
}

// NodePool is the nodes that pods of these settings may be on: the labels that such a node has, and what people are
// told of them. What every pod asks for is not told.
func (s Settings) NodePool(declared *benchv1alpha1.PodSettings) (labels map[string]string, name string) {
	labels = podspec.NodeLabels(s.Pods(declared))
	told := maps.Clone(labels)
	for key, value := range podspec.BuiltIn().NodeSelector {
		if told[key] == value {
			delete(told, key)
		}
	}
	return labels, queue.NodePool(told)
}

// Watched are the namespaces that are watched, as a list of objects wants them: one without a name stands for all.
func (s Settings) Watched() []string {
	if len(s.Namespaces) == 0 {
		return []string{corev1.NamespaceAll}
	}
	return s.Namespaces
}

// Images are those of the pods.
func (s Settings) Images() product.Images {
	return product.Images{Loadgen: s.LoadgenImage, Repositories: s.ImageRepositories}
}

// Concurrency is MaxConcurrentReconciles with its default.
func (s Settings) Concurrency() int { return cmp.Or(max(s.MaxConcurrentReconciles, 0), 2) }
