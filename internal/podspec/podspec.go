package podspec

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Users that the images' programs run as.
const (
	// MongodUser is the user and group of mongod in the public images.
	MongodUser int64 = 999
	// MariaDBUser is the user and group of mariadbd in the public images.
	MariaDBUser int64 = 999
	// LoadgenUser is the user and group of the load generator.
	LoadgenUser int64 = 65532
)

// What pods that keep nothing are given of their node's disk: they write their log and nothing else, of which a kubelet
// keeps 50 MB by default.
var (
	logRequest = resource.MustParse("64Mi")
	logLimit   = resource.MustParse("256Mi")
)

// TopologyResources are those of the topology Job: it waits most of the time, and computes only while it logs in.
var TopologyResources = corev1.ResourceRequirements{
	Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi"),
		corev1.ResourceEphemeralStorage: logRequest,
	},
	Limits: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
		corev1.ResourceEphemeralStorage: logLimit,
	},
}

// StayAnnotations keep node autoscalers from moving a pod: a measurement that moves is lost.
func StayAnnotations() map[string]string {
	return map[string]string{
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
		"karpenter.sh/do-not-disrupt":                    "true",
	}
}

// PodSecurity makes a pod of this user and group pass the restricted Pod Security Standard. Its volumes belong to the
// group.
func PodSecurity(user int64) *corev1.PodSecurityContext {
	onRootMismatch := corev1.FSGroupChangeOnRootMismatch
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        new(true),
		RunAsUser:           new(user),
		RunAsGroup:          new(user),
		FSGroup:             new(user),
		FSGroupChangePolicy: &onRootMismatch,
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// ContainerSecurity makes a container pass the restricted Pod Security Standard, and its image read-only.
func ContainerSecurity() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// Resources are what a pod may use, given with every default. A pod that says nothing of its node's disk is not limited
// in it, and reserves room for its log.
func Resources(of corev1.ResourceRequirements) corev1.ResourceRequirements {
	return withDisk(of, corev1.ResourceList{corev1.ResourceEphemeralStorage: logRequest}, nil)
}

// withDisk adds what a pod asks for of its node's disk, and may use of it, where it says nothing itself.
func withDisk(of corev1.ResourceRequirements, request, limit corev1.ResourceList) corev1.ResourceRequirements {
	resources := *of.DeepCopy()
	if _, said := of.Requests[corev1.ResourceEphemeralStorage]; !said {
		maps.Copy(resources.Requests, request.DeepCopy())
	}
	if _, said := of.Limits[corev1.ResourceEphemeralStorage]; !said {
		maps.Copy(resources.Limits, limit.DeepCopy())
	}
	return resources
}

// LoadResources are Resources of a load pod, which never needs more of its node's disk than its log takes.
func LoadResources(of corev1.ResourceRequirements) corev1.ResourceRequirements {
	return withDisk(of, corev1.ResourceList{corev1.ResourceEphemeralStorage: logRequest},
		corev1.ResourceList{corev1.ResourceEphemeralStorage: logLimit})
}

// DiskResources are Resources of a member that keeps its data on its node's disk, in a volume of this size.
func DiskResources(of corev1.ResourceRequirements, volume resource.Quantity) corev1.ResourceRequirements {
	return withDisk(of, corev1.ResourceList{corev1.ResourceEphemeralStorage: volume}, nil)
}

// Namespace gives a container the name of its namespace.
func Namespace(name string) corev1.EnvVar { return field(name, "metadata.namespace") }

// Node gives a container the name of the node that its pod is on.
func Node(name string) corev1.EnvVar { return field(name, "spec.nodeName") }

// PodUID gives a container the UID of its pod.
func PodUID(name string) corev1.EnvVar { return field(name, "metadata.uid") }

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path},
	}}
}

// Limit gives a container one of its own limits, in multiples of the divisor.
func Limit(name string, limit corev1.ResourceName, divisor string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		ResourceFieldRef: &corev1.ResourceFieldSelector{
			Resource: "limits." + string(limit), Divisor: resource.MustParse(divisor),
		},
	}}
}
