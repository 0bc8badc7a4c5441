package v1alpha1

import (
	"k8s.io/utils/ptr"
)

// IsMariaDB says whether a target is of kind MariaDB.
func IsMariaDB(target BenchmarkTargetSpec) bool {
	return ptr.Deref(target.Kind, DefaultTargetKind) == TargetMariaDB
}

// DeclaredDurability is the durability that a target is declared with. It is empty where the server, its connection
// string or the operations decide.
func DeclaredDurability(target BenchmarkTargetSpec) Durability {
	byDefault := Durability("")
	if IsMariaDB(target) && target.Topology != TopologyExternal {
		byDefault = DefaultMariaDBDurability
	}
	return ptr.Deref(target.Durability, byDefault)
}

// EngineOfMariaDB is the engine that a target of kind MariaDB makes its tables with.
func EngineOfMariaDB(target BenchmarkTargetSpec) MariaDBEngine {
	return ptr.Deref(ptr.Deref(target.MariaDB, MariaDBSpec{}).Engine, DefaultMariaDBEngine)
}
