package v1alpha1

// ReadConcern says what a read may return, as MongoDB defines it.
// +kubebuilder:validation:Enum=Local;Available;Majority;Linearizable;Snapshot
type ReadConcern string

const (
	// ReadConcernLocal returns what the member has; it may be rolled back.
	ReadConcernLocal ReadConcern = "Local"
	// ReadConcernAvailable is as Local, and on a sharded cluster may return orphaned documents.
	ReadConcernAvailable ReadConcern = "Available"
	// ReadConcernMajority returns what a majority has acknowledged.
	ReadConcernMajority ReadConcern = "Majority"
	// ReadConcernLinearizable also reflects all writes that a majority acknowledged before the read started.
	ReadConcernLinearizable ReadConcern = "Linearizable"
	// ReadConcernSnapshot returns what a majority had at one instant. Outside of transactions since MongoDB 5.0.
	ReadConcernSnapshot ReadConcern = "Snapshot"
)

// ReadPreference says which members of a replica set to read from, as MongoDB defines it.
// +kubebuilder:validation:Enum=Primary;PrimaryPreferred;Secondary;SecondaryPreferred;Nearest
type ReadPreference string

// The read preferences that MongoDB defines.
const (
	ReadPrimary            ReadPreference = "Primary"
	ReadPrimaryPreferred   ReadPreference = "PrimaryPreferred"
	ReadSecondary          ReadPreference = "Secondary"
	ReadSecondaryPreferred ReadPreference = "SecondaryPreferred"
	ReadNearest            ReadPreference = "Nearest"
)

// JournalPolicy says whether a write is acknowledged before it is in the journal.
// +kubebuilder:validation:Enum=Required;NotRequired
type JournalPolicy string

const (
	// JournalRequired acknowledges a write once it is in the journal on disk (j: true).
	JournalRequired JournalPolicy = "Required"
	// JournalNotRequired may acknowledge it before (j: false).
	JournalNotRequired JournalPolicy = "NotRequired"
)

// WriteConcern says which members must acknowledge a write, as MongoDB defines it.
//
// +kubebuilder:validation:XValidation:rule="self.w != '0' || !has(self.journal) || self.journal != 'Required'",message="journal Required needs an acknowledgement, and w is 0",fieldPath=".journal"
type WriteConcern struct {
	// w is the number of members that acknowledge, "majority", or a tag of the replica set's settings, in a string. With
	// "0" there is no acknowledgement: the operation is counted once it is sent, and has no latency.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^([0-9]|[1-4][0-9]|50|[A-Za-z_][A-Za-z0-9_.-]*)$`
	W string `json:"w,omitempty"`

	// journal says whether the acknowledgement waits for the journal: Required or NotRequired. Unset: the server's
	// default.
	// +optional
	Journal JournalPolicy `json:"journal,omitempty"`

	// timeoutMillis is how long to wait for the acknowledgement; after that the operation fails, although its write may
	// persist. Limits 1 to 3600000. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600000
	TimeoutMillis int32 `json:"timeoutMillis,omitempty"`
}

// Durability is what an acknowledged write survives. Which of them there are depends on the product, so the fields list
// them.
type Durability string

const (
	// DurabilityNone is nothing: the write is not acknowledged. MongoDB: w: 0.
	DurabilityNone Durability = "None"
	// DurabilityMemory is the memory of the server: a write is lost with the server's process. MongoDB: w: 1, j: false.
	// MariaDB: innodb_flush_log_at_trx_commit=0.
	DurabilityMemory Durability = "Memory"
	// DurabilityOSCache is the operating system's cache: a write is lost with the machine. MariaDB:
	// innodb_flush_log_at_trx_commit=2. MongoDB flushes its journal by time, so it has no such class.
	DurabilityOSCache Durability = "OSCache"
	// DurabilitySynced is the disk of one server. MongoDB: w: 1, j: true. MariaDB: innodb_flush_log_at_trx_commit=1.
	DurabilitySynced Durability = "Synced"
	// DurabilityMajority is a majority of the members of a replica set. MongoDB: w: majority.
	DurabilityMajority Durability = "Majority"
)
