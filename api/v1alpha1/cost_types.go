package v1alpha1

// PriceListReference names a price list.
type PriceListReference struct {
	// configMapName is the name of a ConfigMap in the namespace of the run.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConfigMapName string `json:"configMapName,omitempty"`

	// key of the ConfigMap's data that holds the list. Default prices.yaml.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key *string `json:"key,omitempty"`
}

// CostResult is what the target of a run costs by a price list. The load pods are no part of it.
type CostResult struct {
	// currency of all costs of the run: its code by ISO 4217, as the list says it.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=3
	Currency string `json:"currency,omitempty"`

	// priceList is where the list was read: the name of its ConfigMap and, of the operator's own, its namespace and name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=320
	PriceList string `json:"priceList,omitempty"`

	// source is what the list says of where its prices are from.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Source string `json:"source,omitempty"`

	// validFrom is the date that the list gives for its prices.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=10
	ValidFrom string `json:"validFrom,omitempty"`

	// computeNanosPerHour is what the members pay for their nodes, in billionths of the currency per hour: a node that a
	// member has alone costs its price, one that it shares the larger of the shares of CPU and memory that the member
	// requests. On a node without a price, a member costs what it requests, at the prices per CPU and GiB.
	// +required
	// +kubebuilder:validation:Minimum=0
	ComputeNanosPerHour *int64 `json:"computeNanosPerHour,omitempty"`

	// storageNanosPerHour is what their volumes cost, in billionths of the currency per hour: their size at the price of a
	// GiB for a month, over 730 hours.
	// +required
	// +kubebuilder:validation:Minimum=0
	StorageNanosPerHour *int64 `json:"storageNanosPerHour,omitempty"`

	// networkInNanosPerGibibyte is the price of what load pods send to the members, in billionths of the currency per GiB.
	// Unset: the list has no price for it, and the network is no part of the costs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NetworkInNanosPerGibibyte *int64 `json:"networkInNanosPerGibibyte,omitempty"`

	// networkOutNanosPerGibibyte is the price of what the members answer, in billionths of the currency per GiB. Unset: as
	// above.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NetworkOutNanosPerGibibyte *int64 `json:"networkOutNanosPerGibibyte,omitempty"`
}
