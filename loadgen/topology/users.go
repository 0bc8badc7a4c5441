package topology

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// user is one to be made.
type user struct {
	credentials Credentials
	// roles that the server has, or that are made before.
	roles bson.A
	// own is the user's own role, which has what no role of the server's has by itself. Without privileges there is none.
	own role
}

type role struct {
	name       string
	privileges []privilege
}

// privilege is what may be done to a resource: the cluster, a database, or a collection.
type privilege struct {
	Resource bson.D   `bson:"resource"`
	Actions  []string `bson:"actions"`
}

// makeUsers creates the users of one set, or gives those that exist the present passwords and rights. The users of the
// config servers are those of the cluster: mongos knows them from there.
func makeUsers(ctx context.Context, m member, t planv1.Topology, set planv1.ReplicaSet, secrets Secrets) error {
	if t.WithoutUsers {
		return nil
	}
	build, err := m.admin(ctx, bson.D{{Key: "buildInfo", Value: 1}})
	if err != nil {
		return fmt.Errorf("asking %s for its version: %w", m.host, err)
	}
	w := writer{m, upToDate(set)}
	for _, u := range usersOf(t, set.Role, secrets, mongod.ParseRelease(lookup.Text(build, "version"))) {
		if err := w.makeUser(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// upToDate is the number of a set's members that hold data and are not behind on purpose.
func upToDate(set planv1.ReplicaSet) int {
	members := len(set.Members)
	for _, one := range set.Settings {
		if one.DelaySeconds > 0 {
			members--
		}
	}
	return members
}

// usersOf are the users of a set with this role. One that was given no name is not made.
func usersOf(t planv1.Topology, of planv1.SetRole, secrets Secrets, version mongod.Release) []user {
	users := []user{
		{credentials: secrets.Admin, roles: bson.A{"root"}},
		{credentials: secrets.Observer, roles: bson.A{"clusterMonitor"}, own: observerRole()},
		{credentials: secrets.Action, roles: actionRoles(version), own: actionRole(t.Databases, version)},
	}
	switch {
	case of == planv1.RoleConfig, of == planv1.RoleConfigShard:
		users = append(users, user{secrets.Load, readWrite(t.Databases), shardingRole(t.Databases)})
	case of == planv1.RoleShard && len(t.Mongos) > 0:
		// The load goes through mongos, which reaches the shards by the keyfile.
	default:
		users = append(users, user{credentials: secrets.Load, roles: readWrite(t.Databases)})
	}
	return slices.DeleteFunc(users, func(u user) bool { return u.credentials.Username == "" })
}

// writer writes users to a set's primary, and to all of its members: who logs in to a secondary that has not heard of
// them yet is refused.
type writer struct {
	member
	members int
}

func (w writer) makeUser(ctx context.Context, u user) error {
	roles := u.roles
	if len(u.own.privileges) > 0 {
		err := w.createOrUpdate(ctx, "Role", u.own.name, codeRoleExists, bson.D{
			{Key: "privileges", Value: u.own.privileges}, {Key: "roles", Value: bson.A{}},
		})
		if err != nil {
			return err
		}
		roles = append(bson.A{u.own.name}, roles...)
	}
	return w.createOrUpdate(ctx, "User", u.credentials.Username, codeUserExists, bson.D{
		{Key: "pwd", Value: u.credentials.Password},
		{Key: "roles", Value: roles},
		{Key: "mechanisms", Value: bson.A{"SCRAM-SHA-256"}},
	})
}

// createOrUpdate sends createX, or updateX where there is one of that name.
func (w writer) createOrUpdate(ctx context.Context, what, name string, exists int, content bson.D) error {
	command := func(verb string) bson.D {
		return append(bson.D{{Key: verb + what, Value: name}}, content...)
	}
	content = append(content, bson.E{Key: "writeConcern", Value: bson.D{{Key: "w", Value: w.members}}})
	_, err := w.admin(ctx, command("create"))
	if errorclass.HasCode(err, exists) {
		_, err = w.admin(ctx, command("update"))
	}
	if err != nil {
		return fmt.Errorf("creating %s %s on %s: %w", strings.ToLower(what), name, w.host, err)
	}
	return nil
}

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

// placesCollections is the first release that moves collections, and makes config servers a shard or none, by command.
var placesCollections = mongod.Release{Major: 8}

// actionRoles are the built-in roles that actions need. What unsharding asks for has no name of its own in every
// release, and this role has it.
func actionRoles(version mongod.Release) bson.A {
	if version.AtLeast(placesCollections) {
		return bson.A{"enableSharding"}
	}
	return nil
}

// actionRole is what the actions of a workload need besides: who is primary, to change that, the balancer's switch, and
// other shard keys, indexes, places and files for the load's collections.
func actionRole(databases []string, version mongod.Release) role {
	privileges := make([]privilege, 0, len(databases)+4)
	privileges = append(privileges,
		privilege{Resource: cluster(), Actions: []string{
			"replSetGetStatus", "replSetGetConfig", "replSetStateChange", "listShards", "getShardMap",
			// What is open to a member that is cut off is to end.
			"dropConnections",
		}},
		privilege{Resource: collection(configDatabase, ""), Actions: []string{"find"}},
		privilege{Resource: collection(configDatabase, "settings"), Actions: []string{"find", "update"}})
	keys := []string{"createIndex", "dropIndex", "listIndexes", "compact"}
	if version.AtLeast(mongod.Release{Major: 4, Minor: 4}) {
		keys = append(keys, "refineCollectionShardKey")
	}
	if version.AtLeast(mongod.Release{Major: 5}) {
		keys = append(keys, "reshardCollection")
	}
	if version.AtLeast(mongod.Release{Major: 7}) {
		keys = append(keys, "analyzeShardKey")
	}
	if version.AtLeast(placesCollections) {
		keys = append(keys, "moveChunk") // This is what moves the home of a database, too.
		privileges = append(privileges, privilege{Resource: cluster(), Actions: []string{
			"transitionFromDedicatedConfigServer", "transitionToDedicatedConfigServer",
		}})
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
