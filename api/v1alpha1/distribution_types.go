package v1alpha1

// DistributionType names a distribution over a range.
// +kubebuilder:validation:Enum=Uniform;Zipfian;ScrambledZipfian;Latest;HotSpot;Exponential;Sequential;NURand
type DistributionType string

const (
	// DistributionUniform gives every value of the range the same probability.
	DistributionUniform DistributionType = "Uniform"
	// DistributionZipfian favours the values at the start of the range, following Zipf's law.
	DistributionZipfian DistributionType = "Zipfian"
	// DistributionScrambledZipfian is equally skewed, with the popular values scattered over the range: YCSB's "zipfian".
	DistributionScrambledZipfian DistributionType = "ScrambledZipfian"
	// DistributionLatest favours the most recently inserted records, following Zipf's law, including the step's own. Only
	// for parameters of type Key.
	DistributionLatest DistributionType = "Latest"
	// DistributionHotSpot sends most draws to a part at the start of the range.
	DistributionHotSpot DistributionType = "HotSpot"
	// DistributionExponential favours the values at the start of the range, with exponentially falling probability.
	DistributionExponential DistributionType = "Exponential"
	// DistributionSequential goes through the range in order, repeatedly.
	DistributionSequential DistributionType = "Sequential"
	// DistributionNURand favours some values all over the range: the non-uniform random numbers of TPC-C.
	DistributionNURand DistributionType = "NURand"
)

// Distribution says how to draw values from a range.
//
// +kubebuilder:validation:XValidation:rule="!has(self.zipfian) || self.type == 'Zipfian' || self.type == 'ScrambledZipfian' || self.type == 'Latest'",message="zipfian may be set only with type Zipfian, ScrambledZipfian or Latest",fieldPath=".zipfian"
// +kubebuilder:validation:XValidation:rule="!has(self.hotSpot) || self.type == 'HotSpot'",message="hotSpot may be set only with type HotSpot",fieldPath=".hotSpot"
// +kubebuilder:validation:XValidation:rule="!has(self.exponential) || self.type == 'Exponential'",message="exponential may be set only with type Exponential",fieldPath=".exponential"
// +kubebuilder:validation:XValidation:rule="has(self.nuRand) == (self.type == 'NURand')",message="nuRand is required with type NURand and forbidden with any other",fieldPath=".nuRand"
type Distribution struct {
	// type of the distribution: Uniform, Zipfian, ScrambledZipfian, Latest, HotSpot, Exponential, Sequential or NURand.
	// +required
	Type DistributionType `json:"type,omitempty"`

	// zipfian has the settings of types Zipfian, ScrambledZipfian and Latest.
	// +optional
	Zipfian *ZipfianSettings `json:"zipfian,omitempty"`

	// hotSpot has the settings of type HotSpot.
	// +optional
	HotSpot *HotSpotSettings `json:"hotSpot,omitempty"`

	// exponential has the settings of type Exponential.
	// +optional
	Exponential *ExponentialSettings `json:"exponential,omitempty"`

	// nuRand has the settings of type NURand.
	// +optional
	NURand *NURandSettings `json:"nuRand,omitempty"`
}

// NURandSettings are the settings of the NURand distribution, as TPC-C defines it in clause 2.1.6 for a range from 1:
// a random number from 0 to a, combined bit by bit (or) with one of the range, plus c, modulo the size of the range.
type NURandSettings struct {
	// a is the constant for the size of the range: in TPC-C 255 for 1000 last names, 1023 for 3000 customers and 8191 for
	// 100000 items. Limits 1 to 1000000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	A int32 `json:"a,omitempty"`

	// c moves the popular values; in TPC-C it is any number up to a. Default 0, limits 0 to 1000000000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000000
	C int32 `json:"c,omitempty"`
}

// ZipfianSettings are the settings of the Zipfian distributions, drawn by the method of Gray et al., "Quickly
// Generating Billion-Record Synthetic Databases", SIGMOD 1994, as YCSB does.
type ZipfianSettings struct {
	// thetaThousandths is the skew in thousandths. Default 990, which is YCSB's constant. Limits 1 to 999.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=999
	ThetaThousandths *int32 `json:"thetaThousandths,omitempty"`
}

// HotSpotSettings are the settings of the HotSpot distribution.
type HotSpotSettings struct {
	// hotRangePercent is the share of the range that is hot. Default 20, limits 1 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	HotRangePercent *int32 `json:"hotRangePercent,omitempty"`

	// hotDrawsPercent is the share of the draws that fall into the hot range. Default 80, limits 0 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	HotDrawsPercent *int32 `json:"hotDrawsPercent,omitempty"`
}

// ExponentialSettings are the settings of the Exponential distribution: which share of the draws falls into the first
// part of the range. The defaults are YCSB's: 95 % of the draws into the first six sevenths.
type ExponentialSettings struct {
	// rangeMillionths is the part of the range, in millionths. Default 857143, limits 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	RangeMillionths *int32 `json:"rangeMillionths,omitempty"`

	// drawsPercent is the share of the draws that fall into it. Default 95, limits 1 to 99.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99
	DrawsPercent *int32 `json:"drawsPercent,omitempty"`
}
