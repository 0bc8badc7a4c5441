package v1alpha1

// ExternalTarget locates an existing database.
type ExternalTarget struct {
	// product is the database: MongoDB, MariaDB, which MySQL counts as, or FerretDB. Default MongoDB.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Product *Product `json:"product,omitempty"`

	// uriSecretRef names the key of a Secret in the same namespace with the connection string (mongodb:// or
	// mongodb+srv://; with product MariaDB mysql://). The load generator reads it from a file, and it is never shown. The
	// Secret must carry the label mongobench.dev/connection: "true".
	// +required
	URISecretRef SecretKeyReference `json:"uriSecretRef,omitzero"`

	// allowExisting lets a run write to a database that it did not create: collections of the same names are dropped.
	// Default false: a database that holds collections and was not created by a run is refused.
	// +optional
	AllowExisting *bool `json:"allowExisting,omitempty"`

	// tls gives certificates for a database that is reached with TLS, from Secrets in the same namespace. Unset: the
	// connection string says whether there is TLS, and the servers' certificates must be signed by an authority that the
	// load generator's image trusts.
	// +optional
	TLS *ExternalTLS `json:"tls,omitempty"`

	// durability is what an acknowledged write survives: None, Memory, OSCache, Synced or Majority. The result says which
	// holds, and figures of different durability are compared only if explicitly requested. Of MongoDB it is the write
	// concern of operations that declare none, and OSCache is not available; of MariaDB it is how its log is flushed, None
	// and Majority are not available, and a server that behaves otherwise than declared fails the run. Not with product
	// FerretDB. Unset: that of the connection string, or else whatever the server does.
	// +optional
	// +kubebuilder:validation:Enum=None;Memory;OSCache;Synced;Majority
	Durability *Durability `json:"durability,omitempty"`

	// podSettings of the topology Job, which looks at the database: nodes, tolerations, labels and the like. Unset: the
	// operator's setting.
	// +optional
	PodSettings *PodSettings `json:"podSettings,omitempty"`

	// provisioningSeconds is the time within which the database must answer; afterwards the target is given up with the
	// cause in its conditions. Default 600, limits 10 to 86400.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=86400
	ProvisioningSeconds *int32 `json:"provisioningSeconds,omitempty"`
}

// ExternalTLS are the certificates by which an existing database and the load generator know each other. Either turns
// TLS on, whatever the connection string says; names are verified, with TLS 1.2 or newer.
// +kubebuilder:validation:MinProperties=1
type ExternalTLS struct {
	// caSecretRef names the Secret whose key ca.crt has the authorities that sign the servers' certificates, in PEM. No
	// others are then trusted. Unset: those that the load generator's image trusts.
	// +optional
	CASecretRef *NameReference `json:"caSecretRef,omitempty"`

	// clientCertificateSecretRef names the Secret, such as one of type kubernetes.io/tls, whose keys tls.crt and tls.key
	// have the certificate that is shown to the servers and its key without a passphrase, in PEM. To log in by it, the
	// connection string has authMechanism=MONGODB-X509. Not with product MariaDB. Unset: none is shown, unless the
	// connection string names a file.
	// +optional
	ClientCertificateSecretRef *NameReference `json:"clientCertificateSecretRef,omitempty"`
}
