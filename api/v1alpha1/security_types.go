package v1alpha1

// TLSMode says whether connections are encrypted.
// +kubebuilder:validation:Enum=Off;Preferred;Required
type TLSMode string

const (
	// TLSOff is never.
	TLSOff TLSMode = "Off"
	// TLSPreferred takes both kinds of connections (preferTLS); the load generator's are encrypted.
	TLSPreferred TLSMode = "Preferred"
	// TLSRequired takes encrypted connections only (requireTLS).
	TLSRequired TLSMode = "Required"
)

// SecuritySpec says who may reach the members, and how.
type SecuritySpec struct {
	// authentication is Enabled or Disabled. Passwords are generated for each target and stay in its Secrets
	// (SCRAM-SHA-256). Default Enabled.
	// +optional
	Authentication *Switch `json:"authentication,omitempty"`

	// tls of all connections, those between members included. Unset: Off.
	// +optional
	TLS *TLSSpec `json:"tls,omitempty"`

	// networkPolicy is Enabled or Disabled: Enabled lets only the target's own pods and the load pods of its runs reach
	// the members, where the cluster's network enforces such policies. Default Enabled.
	// +optional
	NetworkPolicy *Switch `json:"networkPolicy,omitempty"`
}

// TLSSpec says whether and by whose certificates connections are encrypted.
//
// +kubebuilder:validation:XValidation:rule="!has(self.issuerRef) || (has(self.mode) && self.mode != 'Off')",message="issuerRef may be set only with mode Preferred or Required",fieldPath=".issuerRef"
type TLSSpec struct {
	// mode is Off, Preferred or Required. Default Off.
	// +optional
	Mode *TLSMode `json:"mode,omitempty"`

	// issuerRef names the issuer of cert-manager that signs the members' certificate. Unset: the operator makes an
	// authority for this target alone.
	// +optional
	IssuerRef *IssuerReference `json:"issuerRef,omitempty"`
}

// IssuerReference names an issuer of cert-manager.
type IssuerReference struct {
	// name of the issuer.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// kind is Issuer, of the same namespace, or ClusterIssuer. Default Issuer.
	// +optional
	Kind *IssuerKind `json:"kind,omitempty"`
}

// IssuerKind is a kind of cert-manager's issuers.
// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
type IssuerKind string

const (
	// IssuerKindIssuer is one of the same namespace.
	IssuerKindIssuer IssuerKind = "Issuer"
	// IssuerKindClusterIssuer is one of the whole cluster.
	IssuerKindClusterIssuer IssuerKind = "ClusterIssuer"
)
