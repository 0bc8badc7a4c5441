package v1alpha1

// Durability is what an acknowledged write survives.
// +kubebuilder:validation:Enum=None;Memory;OSCache;Synced;Majority
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
