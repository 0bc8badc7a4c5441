package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// PodSettings say where pods run and what the cluster asks of every pod. The operator's own settings (the chart's
// podDefaults) are the defaults of all pods; a target or a run adds to them, or replaces them: nodeSelector, labels and
// annotations are merged by their keys, tolerations and imagePullSecrets are added to those of the operator,
// topologySpreadConstraints are merged by topologyKey and whenUnsatisfiable, securityContext is merged field by field,
// and every other field replaces the operator's. As JSON they may have 16 KiB.
type PodSettings struct {
	// nodeSelector has the labels that a node must have. Unless the operator's settings say otherwise,
	// kubernetes.io/os is linux.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations of the pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// affinity says which nodes the pods need or prefer, where nodeSelector is not enough.
	// +optional
	Affinity *NodeAffinity `json:"affinity,omitempty"`

	// topologySpreadConstraints spread pods over zones or other domains. One without labelSelector counts pods alike:
	// members that play the same part, or the load pods of the run. A constraint of placement or spread (topologyKey
	// kubernetes.io/hostname, DoNotSchedule) takes precedence over one of the operator's settings, and cannot be given
	// beside one of yours.
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +listMapKey=whenUnsatisfiable
	// +kubebuilder:validation:MaxItems=8
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`

	// priorityClassName is the name of a PriorityClass. Unset: the cluster's default.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName *string `json:"priorityClassName,omitempty"`

	// runtimeClassName is the name of a RuntimeClass. Unset: the cluster's default.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RuntimeClassName *string `json:"runtimeClassName,omitempty"`

	// imagePullSecrets are Secrets of the namespace of the pods, with which their images are pulled, besides those of
	// their service account.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []PullSecret `json:"imagePullSecrets,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// imagePullPolicy says when the images of the pods are pulled: Always, IfNotPresent or Never. Unset: IfNotPresent, but
	// Always for members whose image has the tag latest.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy *corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// labels of the pods, besides the operator's own, which cannot be changed: those of mongobench.dev, app.kubernetes.io,
	// batch.kubernetes.io, statefulset.kubernetes.io and apps.kubernetes.io. Unless the operator's settings say otherwise,
	// they keep the sidecars of service meshes out of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Labels map[string]string `json:"labels,omitempty"`

	// annotations of the pods, besides the operator's own, which cannot be changed: those of mongobench.dev and
	// batch.kubernetes.io, and those that keep autoscalers from moving the pods. Unless the operator's settings say
	// otherwise, they keep the sidecars of service meshes out of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]string `json:"annotations,omitempty"`

	// securityContext says which user and group the pods run as. Whatever it says, they pass the restricted Pod Security
	// Standard.
	// +optional
	SecurityContext *PodSecurityContext `json:"securityContext,omitempty"`
}

// PullSecret names a Secret with which images are pulled.
type PullSecret struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// NodeAffinity is the part of a pod's affinity that is about nodes. That about other pods is the operator's own, and
// said by placement, separation and topologySpreadConstraints.
type NodeAffinity struct {
	// nodeAffinity as in a pod.
	// +required
	NodeAffinity *corev1.NodeAffinity `json:"nodeAffinity,omitempty"`
}

// PodIDs says who chooses the user and the group of a pod.
// +kubebuilder:validation:Enum=Image;Namespace
type PodIDs string

const (
	// PodIDsImage gives pods the user and group that the public image of their program is made for.
	PodIDsImage PodIDs = "Image"
	// PodIDsNamespace leaves both to the namespace: OpenShift gives pods an ID of the namespace's own range. Elsewhere
	// they are what the image says.
	PodIDsNamespace PodIDs = "Namespace"
)

// PodSecurityContext says which user and group pods run as.
//
// +kubebuilder:validation:XValidation:rule="!has(self.ids) || self.ids != 'Namespace' || !(has(self.runAsUser) || has(self.runAsGroup) || has(self.fsGroup))",message="runAsUser, runAsGroup and fsGroup cannot be given with ids Namespace, which leaves them to the namespace",fieldPath=".ids"
type PodSecurityContext struct {
	// ids is Image or Namespace. Default Image; Namespace where the operator's platform is OpenShift.
	// +optional
	IDs *PodIDs `json:"ids,omitempty"`

	// runAsUser is the number of the user, 1 or more. Unset: as ids says; 999 for servers and 65532 for the load
	// generator with ids Image.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	RunAsUser *int64 `json:"runAsUser,omitempty"`

	// runAsGroup is the number of the group, 0 or more. Unset: as ids says; the same as the user with ids Image.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`

	// fsGroup is the number of the group that volumes belong to, 0 or more. Unset: as ids says; the same as the group with
	// ids Image.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// Separation says how strictly load pods are kept off the nodes of the members that they measure.
// +kubebuilder:validation:Enum=Preferred;Required;None
type Separation string

const (
	// SeparationPreferred puts load pods on other nodes if there are any with room.
	SeparationPreferred Separation = "Preferred"
	// SeparationRequired lets no load pod share a node with a member of any target: pods wait until there is another node,
	// and the run ends by its deadline.
	SeparationRequired Separation = "Required"
	// SeparationNone leaves it to the scheduler.
	SeparationNone Separation = "None"
)
