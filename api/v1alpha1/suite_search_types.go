package v1alpha1

// SuiteObjective is what a search is to have as little of as possible, over all measured members of the target.
// +kubebuilder:validation:Enum=CPU;Memory;Members;Cost
type SuiteObjective string

const (
	// MinimiseCPU is the sum of the CPU limits.
	MinimiseCPU SuiteObjective = "CPU"
	// MinimiseMemory is the sum of the memory limits.
	MinimiseMemory SuiteObjective = "Memory"
	// MinimiseMembers is the number of members.
	MinimiseMembers SuiteObjective = "Members"
	// MinimiseCost is what a month at the rate of the step costs that costs most, by the price list of the runs. It is
	// known of what was measured only, so that every choice is looked for of which nothing smaller keeps the constraints.
	MinimiseCost SuiteObjective = "Cost"
)

// SuiteSearch has a suite find the smallest variant that keeps some constraints, and make no more runs than that takes.
//
// The dimensions of spec.matrix have their choices in order, the smallest first: what has no less of anything must keep
// whatever a smaller variant keeps. So a variant that keeps the constraints speaks for all larger ones, and one that
// breaks them for all smaller ones. Each variant that is tried has at least two runs, and at most spec.repetitions.
type SuiteSearch struct {
	// minimise is what the variants are compared by that keep the constraints: CPU, Memory, Members or Cost. Default CPU.
	// With one dimension it makes no difference.
	// +optional
	Minimise *SuiteObjective `json:"minimise,omitempty"`

	// constraints that the variant must keep, all of them.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Constraints []SearchConstraint `json:"constraints,omitempty"`

	// confidencePercent of what is said of a variant: of a hundred that break a constraint, at most 100 minus this number
	// are said to keep it, and the other way round, whatever number of runs that takes. Default 95, limits 50 to 99.
	// +optional
	// +kubebuilder:validation:Minimum=50
	// +kubebuilder:validation:Maximum=99
	ConfidencePercent *int32 `json:"confidencePercent,omitempty"`
}

// SearchConstraint is a limit of one figure.
//
// +kubebuilder:validation:XValidation:rule="has(self.max) != has(self.min)",message="exactly one of max and min must be set"
type SearchConstraint struct {
	// metric that is limited. A percentile needs operations, as for a threshold.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the workload. Unset: every step.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step *string `json:"step,omitempty"`

	// operation of the step. Unset: as for a threshold.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// max is the largest value that is kept, in the metric's own unit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Max *int64 `json:"max,omitempty"`

	// min is the smallest value that is kept, in the metric's own unit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Min *int64 `json:"min,omitempty"`
}

// SearchOutcome is what a search came to.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type SearchOutcome string

const (
	// SearchGoesOn means that variants are to be tried.
	SearchGoesOn SearchOutcome = "Searching"
	// SearchFound means that the smallest variant is known that keeps the constraints.
	SearchFound SearchOutcome = "Found"
	// SearchNothingKeeps means that not even the largest variants keep the constraints.
	SearchNothingKeeps SearchOutcome = "NothingKeeps"
	// SearchNotKnown means that no variant is known to keep the constraints, and of some it is not known.
	SearchNotKnown SearchOutcome = "NotKnown"
)

// SearchVerdict says what is known of a variant.
// It is no enum, so that a definition of an older version stores what a later operator writes.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=64
type SearchVerdict string

const (
	// SearchOpen means that it needs runs.
	SearchOpen SearchVerdict = "Open"
	// SearchSmallest means that it keeps every constraint, and that nothing smaller is known to.
	SearchSmallest SearchVerdict = "Smallest"
	// SearchKeeps means that it keeps every constraint.
	SearchKeeps SearchVerdict = "Keeps"
	// SearchBreaks means that it breaks a constraint.
	SearchBreaks SearchVerdict = "Breaks"
	// SearchUndecided means that spec.repetitions were too few to tell.
	SearchUndecided SearchVerdict = "Undecided"
)

// SuiteSearchStatus is what a search knows.
type SuiteSearchStatus struct {
	// outcome is Searching, Found, NothingKeeps or NotKnown.
	// +required
	Outcome SearchOutcome `json:"outcome,omitempty"`

	// variant that was found. Unset: none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant string `json:"variant,omitempty"`

	// minimise is what is minimised: CPU, Memory, Members or Cost.
	// +required
	Minimise SuiteObjective `json:"minimise,omitempty"`

	// runs that were made.
	// +required
	// +kubebuilder:validation:Minimum=0
	Runs *int32 `json:"runs,omitempty"`

	// matrixRuns is how many runs the whole matrix would have been, with spec.repetitions of each variant.
	// +required
	// +kubebuilder:validation:Minimum=0
	MatrixRuns *int32 `json:"matrixRuns,omitempty"`

	// tried are the variants that were tried, in the order of the matrix: the first 64.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Tried []SearchedVariant `json:"tried,omitempty"`

	// message says in words what was found, and what is not known.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// SearchedVariant is what a search knows of a variant.
type SearchedVariant struct {
	// variant that was tried.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant string `json:"variant,omitempty"`

	// verdict is Open, Smallest, Keeps, Breaks or Undecided.
	// +required
	Verdict SearchVerdict `json:"verdict,omitempty"`

	// runs that were made of it.
	// +required
	// +kubebuilder:validation:Minimum=0
	Runs *int32 `json:"runs,omitempty"`

	// objective is what is minimised: thousandths of a CPU, bytes, members, or millionths of the currency for a month.
	// Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Objective *int64 `json:"objective,omitempty"`

	// constraint that decides: the one that is kept by the least. Unset: nothing was measured.
	// +optional
	Constraint *SearchConstraint `json:"constraint,omitempty"`

	// valueMillis is the figure of that constraint, in thousandths of the metric's unit: the geometric mean over the runs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ValueMillis *int64 `json:"valueMillis,omitempty"`

	// lowMillis and highMillis bound the figure with the confidence. Unset: there are too few runs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LowMillis *int64 `json:"lowMillis,omitempty"`

	// highMillis is the upper bound of the figure.
	// +optional
	// +kubebuilder:validation:Minimum=0
	HighMillis *int64 `json:"highMillis,omitempty"`

	// message says what else happened: runs that said nothing, or that the target did not survive.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}
