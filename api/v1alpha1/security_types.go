package v1alpha1

// TLSMode says whether connections are encrypted.
// +kubebuilder:validation:Enum=Disabled;Preferred;Required
type TLSMode string

const (
	// TLSDisabled means never.
	TLSDisabled TLSMode = "Disabled"
	// TLSPreferred accepts both kinds of connections (preferTLS); the load generator's are encrypted.
	TLSPreferred TLSMode = "Preferred"
	// TLSRequired accepts only encrypted connections (requireTLS).
	TLSRequired TLSMode = "Required"
)

// SecuritySpec says who may reach the members, and how.
type SecuritySpec struct {
	// authentication is Enabled or Disabled. Passwords are generated for each target and stored in its Secrets
	// (SCRAM-SHA-256). Default Enabled.
	// +optional
	Authentication *Switch `json:"authentication,omitempty"`

	// tls of all connections, including those between members. Unset: Disabled.
	// +optional
	TLS *TLSSpec `json:"tls,omitempty"`

	// networkPolicy is Enabled or Disabled: Enabled allows only the target's own pods and the load pods of its runs to
	// reach the members, if the cluster's network enforces NetworkPolicies. Default Enabled.
	// +optional
	NetworkPolicy *Switch `json:"networkPolicy,omitempty"`
}

// TLSSpec says whether connections are encrypted, and with whose certificates.
//
// +kubebuilder:validation:XValidation:rule="!has(self.issuerRef) || (has(self.mode) && self.mode != 'Disabled')",message="issuerRef may be set only with mode Preferred or Required",fieldPath=".issuerRef"
type TLSSpec struct {
	// mode is Disabled, Preferred or Required. Default Disabled.
	// +optional
	Mode *TLSMode `json:"mode,omitempty"`

	// issuerRef names the cert-manager issuer that signs the members' certificate. Unset: the operator creates an
	// authority for this target alone.
	// +optional
	IssuerRef *IssuerReference `json:"issuerRef,omitempty"`
}

// IssuerReference names a cert-manager issuer.
type IssuerReference struct {
	// name of the issuer.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// kind is Issuer, in the same namespace, or ClusterIssuer. Default Issuer.
	// +optional
	Kind *IssuerKind `json:"kind,omitempty"`
}

// IssuerKind is a kind of cert-manager issuer. One that the operator does not know is not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type IssuerKind string

const (
	// IssuerKindIssuer is an issuer in the same namespace.
	IssuerKindIssuer IssuerKind = "Issuer"
	// IssuerKindClusterIssuer is an issuer for the whole cluster.
	IssuerKindClusterIssuer IssuerKind = "ClusterIssuer"
)

// NameReference names an object in the same namespace. It is a LocalObjectReference of Kubernetes whose name cannot be
// left out, as it can there for reasons of history.
type NameReference struct {
	// name of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// SecretKeyReference names one key of a Secret in the same namespace. It is a SecretKeySelector of Kubernetes without
// its optional: nothing can be measured without a connection string.
type SecretKeyReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// key within the Secret's data.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}
