package settings

// Settings are what the operator was started with.
type Settings struct {
	// LoadgenImage is the image of the topology Jobs, the load pods, and the init container of the members.
	LoadgenImage string
	// MongodImageRepository is where the image of a target comes from that names none; its version is the tag.
	MongodImageRepository string
	// MariaDBImageRepository is the same for targets of kind MariaDB.
	MariaDBImageRepository string
	// MaxConcurrentReconciles is the number of objects of one kind that are reconciled at once. 0 means 2.
	MaxConcurrentReconciles int
	// RunsPerNodePool is how many runs of a node pool may be admitted at once, unless they say something else. 0 means no
	// limit.
	RunsPerNodePool int
	// Namespaces that are watched. None means all.
	Namespaces []string
}

// Concurrency is MaxConcurrentReconciles with its default.
func (s Settings) Concurrency() int {
	if s.MaxConcurrentReconciles > 0 {
		return s.MaxConcurrentReconciles
	}
	return 2
}
