package v1alpha1

// Durability is what a write has survived once it is acknowledged.
// +kubebuilder:validation:Enum=None;Memory;OSCache;Synced;Majority
type Durability string

const (
	// DurabilityNone is nothing: nobody acknowledges the write. MongoDB: w: 0.
	DurabilityNone Durability = "None"
	// DurabilityMemory is the memory of the server: it is lost with the server's process. MongoDB: w: 1, j: false.
	// MariaDB: innodb_flush_log_at_trx_commit=0.
	DurabilityMemory Durability = "Memory"
	// DurabilityOSCache is the operating system's cache: it is lost with the machine. MariaDB:
	// innodb_flush_log_at_trx_commit=2. MongoDB flushes its journal by time, so that it has no such class.
	DurabilityOSCache Durability = "OSCache"
	// DurabilitySynced is the disk of one server. MongoDB: w: 1, j: true. MariaDB: innodb_flush_log_at_trx_commit=1.
	DurabilitySynced Durability = "Synced"
	// DurabilityMajority is a majority of the members of a replica set. MongoDB: w: majority.
	DurabilityMajority Durability = "Majority"
)
