package topology

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Names of the roles that are made, in the database admin.
const (
	observerRoleName = "mongobenchObserver"
	actionRoleName   = "mongobenchAction"
	shardingRoleName = "mongobenchSharding"
)

// configDatabase holds a cluster's metadata.
const configDatabase = "config"

// readWrite are the load user's roles: its own databases and nothing else.
func readWrite(databases []string) bson.A {
	roles := make(bson.A, len(databases))
	for i, database := range databases {
		roles[i] = bson.D{{Key: "role", Value: "readWrite"}, {Key: "db", Value: database}}
	}
	return roles
}

// observerRole is what the observer needs besides clusterMonitor: sizes on disk are those of the last checkpoint, so
// one is asked for (fsync) before they are read.
func observerRole() role {
	return role{observerRoleName, []privilege{
		{Resource: cluster(), Actions: []string{"fsync"}},
	}}
}

// shardingRole is what the load user needs at a cluster to lay its own collections out over the shards. Zones belong to
// the whole cluster; the alternative to this action is to write the cluster's metadata at will.
func shardingRole(databases []string) role {
	privileges := make([]privilege, 0, len(databases)+2)
	privileges = append(privileges,
		privilege{Resource: cluster(), Actions: []string{"enableSharding", "listShards"}},
		privilege{Resource: collection(configDatabase, ""), Actions: []string{"find"}})
	for _, database := range databases {
		privileges = append(privileges, privilege{
			Resource: collection(database, ""),
			Actions:  []string{"enableSharding", "moveChunk", "splitChunk"},
		})
	}
	return role{shardingRoleName, privileges}
}

// actionRole is what the actions of a workload need: who is primary, to change that, the balancer's switch, and other
// shard keys for the load's collections, with the index that one that is refined needs first.
func actionRole(databases []string, version release) role {
	privileges := make([]privilege, 0, len(databases)+3)
	privileges = append(privileges,
		privilege{Resource: cluster(), Actions: []string{
			"replSetGetStatus", "replSetGetConfig", "replSetStateChange", "listShards", "getShardMap",
		}},
		privilege{Resource: collection(configDatabase, ""), Actions: []string{"find"}},
		privilege{Resource: collection(configDatabase, "settings"), Actions: []string{"find", "update"}})
	keys := []string{"createIndex", "listIndexes"}
	if version.atLeast(4, 4) {
		keys = append(keys, "refineCollectionShardKey")
	}
	if version.atLeast(5, 0) {
		keys = append(keys, "reshardCollection")
	}
	for _, database := range databases {
		privileges = append(privileges, privilege{Resource: collection(database, ""), Actions: keys})
	}
	return role{actionRoleName, privileges}
}

func cluster() bson.D {
	return bson.D{{Key: "cluster", Value: true}}
}

// collection is one of a database; without a name all of them, and the database itself.
func collection(database, name string) bson.D {
	return bson.D{{Key: "db", Value: database}, {Key: "collection", Value: name}}
}
