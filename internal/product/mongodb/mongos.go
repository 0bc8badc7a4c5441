package mongodb

import (
	"strconv"
	"strings"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// mongosFlags are the arguments of every router. It is told all config servers: one that knew only the first could not
// be restarted while that one is away.
func mongosFlags(t *benchv1alpha1.BenchmarkTarget) []string {
	flags := []string{
		"--configdb", configDatabase(t),
		"--port", strconv.Itoa(naming.MongodPort),
		"--bind_ip_all",
		"--nounixsocket",
	}
	flags = append(flags, securityFlags(t.Spec)...)
	if releaseOf(t.Spec).AtLeast(mongod.Release{Major: 5, Minor: 0}) {
		// As for mongod: nobody needs the 15 s that a router waits for its clients to leave.
		flags = append(flags, "--setParameter", "mongosShutdownTimeoutMillisForSignaledShutdown=0")
	}
	return flags
}

// configDatabase is the set of the config servers as mongos wants it: its name, and all members.
func configDatabase(t *benchv1alpha1.BenchmarkTarget) string {
	for _, s := range sets(t.Spec) {
		if s.Role == planv1alpha1.RoleConfig || s.Role == planv1alpha1.RoleConfigShard {
			return s.Name + "/" + strings.Join(s.Hosts(t), ",")
		}
	}
	return ""
}
