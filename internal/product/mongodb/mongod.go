package mongodb

import (
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// orphanCleanupSeconds is how long a shard keeps what it gave away: as short as there is without cutting off the
// queries that still read it.
const orphanCleanupSeconds = "1"

// flags collects what one mongod is given. What the table of internal/product/mongod does not have, or not for this
// release and engine, is left out.
type flags struct {
	release mongod.Release
	engine  benchv1alpha1.EngineName
	list    []string
}

// add gives an argument, with its value or alone.
func (f *flags) add(name string, value ...string) {
	if option, ok := mongod.Find(mongod.Argument, name); ok && option.KnownTo(f.release, f.engine) {
		f.list = append(append(f.list, "--"+name), value...)
	}
}

// set gives a parameter.
func (f *flags) set(name, value string) {
	if option, ok := mongod.Find(mongod.Parameter, name); ok && option.KnownTo(f.release, f.engine) {
		f.list = append(f.list, setParameter(name, value)...)
	}
}

// knows says whether a mongod of this release and engine has an argument.
func (f *flags) knows(name string) bool {
	option, ok := mongod.Find(mongod.Argument, name)
	return ok && option.KnownTo(f.release, f.engine)
}

func setParameter(name, value string) []string {
	return []string{"--setParameter", name + "=" + value}
}

// mongodFlags are the arguments of every member of a set. Diagnostic data collection stays on: it costs little, and is
// what an expert asks for when a figure is odd.
func mongodFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	f := flags{release: releaseOf(spec), engine: engineOf(spec, s)}
	f.add("dbpath", naming.DataPath)
	f.add("port", strconv.Itoa(naming.MongodPort))
	if f.knows("bind_ip_all") {
		f.add("bind_ip_all")
	} else {
		f.add("bind_ip", "0.0.0.0")
	}
	f.add("nounixsocket")
	f.addEngine(spec, s)
	f.list = append(f.list, securityFlags(spec)...)
	f.list = append(f.list, setFlags(spec, s)...)
	f.set("shutdownTimeoutMillisForSignaledShutdown", "0")
	if givesAway(spec, s) {
		f.set("orphanCleanupDelaySecs", orphanCleanupSeconds)
	}
	if s.Measured {
		for _, parameter := range spec.Parameters {
			f.list = append(f.list, setParameter(parameter.Name, parameter.Value)...)
		}
		f.list = append(f.list, spec.Arguments...)
	}
	return f.list
}

// givesAway says whether the balancer may take documents from the set.
func givesAway(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) bool {
	return !routedByClient(spec) && (s.Role == planv1alpha1.RoleShard || s.Role == planv1alpha1.RoleConfigShard)
}

// engineOf is the storage engine of a set. Config servers are not what is measured, and there is none but WiredTiger
// for them.
func engineOf(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) benchv1alpha1.EngineName {
	if s.Role == planv1alpha1.RoleConfig {
		return benchv1alpha1.EngineWiredTiger
	}
	return mongod.Engine(spec)
}

func releaseOf(spec benchv1alpha1.BenchmarkTargetSpec) mongod.Release {
	return mongod.ParseRelease(ptr.Deref(spec.Version, ""))
}

// setFlags are the arguments that make a mongod what its product.Set is. A shard that the load generator routes to
// knows nothing of sharding: it is a replica set like any other.
func setFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	if spec.Topology == benchv1alpha1.TopologyStandalone {
		return nil
	}
	flags := []string{
		"--replSet", s.Name,
		"--oplogSize", strconv.FormatInt(oplogSize(spec, s), 10),
	}
	switch {
	case s.Role == planv1alpha1.RoleConfig, s.Role == planv1alpha1.RoleConfigShard:
		flags = append(flags, "--configsvr")
	case s.Role == planv1alpha1.RoleShard && !routedByClient(spec):
		flags = append(flags, "--shardsvr")
	}
	return flags
}

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
