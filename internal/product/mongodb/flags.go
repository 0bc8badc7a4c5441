package mongodb

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
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
	if f.knows(mongod.Argument, name) {
		f.list = append(append(f.list, "--"+name), value...)
	}
}

// set gives a parameter.
func (f *flags) set(name, value string) {
	if f.knows(mongod.Parameter, name) {
		f.list = append(f.list, setParameter(name, value)...)
	}
}

// knows says whether a mongod of this release and engine has an option.
func (f *flags) knows(kind mongod.Kind, name string) bool {
	option, ok := mongod.Find(kind, name)
	return ok && option.KnownTo(f.release, f.engine)
}

func setParameter(name, value string) []string {
	return []string{"--setParameter", name + "=" + value}
}

// mongodFlags are the arguments of every member of a set. Diagnostic data collection stays on: it costs little, and is
// what an expert asks for when a figure is odd.
func mongodFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set, ipv6 bool) []string {
	f := flags{release: releaseOf(spec), engine: engineOf(spec, s)}
	f.add("dbpath", naming.DataPath)
	f.add("port", strconv.Itoa(naming.MongodPort))
	if f.knows(mongod.Argument, "bind_ip_all") {
		f.add("bind_ip_all")
	} else {
		f.add("bind_ip", "0.0.0.0")
	}
	if listensOnIPv6(f.release, ipv6) {
		f.add("ipv6")
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
		for _, parameter := range spec.MongoDB.Parameters {
			f.list = append(f.list, setParameter(parameter.Name, parameter.Value)...)
		}
		f.list = append(f.list, spec.MongoDB.Arguments...)
	}
	return f.list
}

// unharmedByIPv6 is the first release that --ipv6 never harms. On a kernel without IPv6 it warns and goes on, as 6.0.5
// does, where 4.2.6 and 4.4.2 end with "Address family not supported by protocol".
var unharmedByIPv6 = mongod.Release{Major: 5}

// listensOnIPv6 says whether a server is told to listen on IPv6 as well, without which no one of a cluster whose pods
// have such addresses reaches it. An older release is told only there. One that does not know --bind_ip_all is not.
func listensOnIPv6(release mongod.Release, cluster bool) bool {
	return release.AtLeast(unharmedByIPv6) || cluster && release.AtLeast(mongod.Release{Major: 3, Minor: 6})
}

// givesAway says whether the balancer may take documents from the set.
func givesAway(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) bool {
	return !routedByClient(spec) && (s.Role == planv1alpha1.RoleShard || s.Role == planv1alpha1.RoleConfigShard)
}

// engineOf is the storage engine of a set. Config servers and arbiters are not what is measured, and there is none but
// WiredTiger for them.
func engineOf(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) benchv1alpha1.EngineName {
	if s.Role == planv1alpha1.RoleConfig || s.Role == planv1alpha1.RoleArbiter {
		return benchv1alpha1.EngineWiredTiger
	}
	return mongod.Engine(spec)
}

func releaseOf(spec benchv1alpha1.BenchmarkTargetSpec) mongod.Release {
	return mongod.ParseRelease(spec.Version())
}

// setFlags are the arguments that make a mongod what its product.Set is. A shard that the load generator routes to
// knows nothing of sharding: it is a replica set like any other.
func setFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	if spec.Topology() == benchv1alpha1.TopologyStandalone {
		return nil
	}
	name := s.Name
	if s.Role == planv1alpha1.RoleArbiter {
		name = naming.ReplicaSet // It is part of the other members' set.
	}
	flags := []string{
		"--replSet", name,
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
func mongosFlags(t *benchv1alpha1.BenchmarkTarget, ipv6 bool) []string {
	flags := []string{
		"--configdb", configDatabase(t),
		"--port", strconv.Itoa(naming.MongodPort),
		"--bind_ip_all",
		"--nounixsocket",
	}
	if listensOnIPv6(releaseOf(t.Spec), ipv6) {
		flags = append(flags, "--ipv6")
	}
	flags = append(flags, securityFlags(t.Spec)...)
	if releaseOf(t.Spec).AtLeast(mongod.Release{Major: 5, Minor: 0}) {
		// As for mongod: there is no need of the 15 s that a router waits for its clients to leave.
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

// wiredTigerByDefault is the first release that takes WiredTiger without being told to.
var wiredTigerByDefault = mongod.Release{Major: 3, Minor: 2}

// engineNames are what mongod calls its storage engines.
var engineNames = map[benchv1alpha1.EngineName]string{
	benchv1alpha1.EngineWiredTiger:       "wiredTiger",
	benchv1alpha1.EngineInMemory:         "inMemory",
	benchv1alpha1.EngineEphemeralForTest: "ephemeralForTest",
}

// addEngine gives the storage engine, its memory and its product.Settings. Config servers get the memory alone.
func (f *flags) addEngine(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) {
	if f.engine != benchv1alpha1.EngineWiredTiger || !f.release.AtLeast(wiredTigerByDefault) {
		f.add("storageEngine", engineNames[f.engine])
	}
	cache := s.CacheMebibytes
	if f.knows(mongod.Argument, "wiredTigerCacheSizeGB") {
		f.add("wiredTigerCacheSizeGB", gigabytes(cache))
	} else {
		f.add("wiredTigerEngineConfigString", fmt.Sprintf("cache_size=%dM", cache))
	}
	f.add("inMemorySizeGB", gigabytes(cache))
	f.add("cacheSize", strconv.FormatInt(cache*product.Mebibyte, 10))
	if spec.MongoDB.Engine == nil || !s.Measured {
		return
	}
	f.addWiredTiger(ptr.Deref(spec.MongoDB.Engine.WiredTiger, benchv1alpha1.WiredTigerSpec{}))
	toku := ptr.Deref(spec.MongoDB.Engine.TokuMX, benchv1alpha1.TokuMXSpec{})
	if ptr.Deref(toku.DirectIO, "") == benchv1alpha1.Enabled {
		f.add("directio")
	}
}

// addWiredTiger gives the settings of WiredTiger that are not mongod's own.
func (f *flags) addWiredTiger(settings benchv1alpha1.WiredTigerSpec) {
	if settings.Compressor != nil {
		f.add("wiredTigerCollectionBlockCompressor", strings.ToLower(string(*settings.Compressor)))
	}
	if settings.JournalCompressor != nil {
		f.add("wiredTigerJournalCompressor", strings.ToLower(string(*settings.JournalCompressor)))
	}
	if ptr.Deref(settings.IndexPrefixCompression, "") == benchv1alpha1.Disabled {
		f.add("wiredTigerIndexPrefixCompression", "false")
	}
	if ptr.Deref(settings.Journal, "") == benchv1alpha1.Disabled {
		f.add("nojournal")
	}
	if settings.JournalCommitMillis != nil {
		f.add("journalCommitInterval", strconv.Itoa(int(*settings.JournalCommitMillis)))
	}
	if settings.CheckpointSeconds != nil {
		f.add("syncdelay", strconv.Itoa(int(*settings.CheckpointSeconds)))
	}
}

const (
	// leastOplogMebibytes and largestOplogMebibytes are the bounds of mongod's own default.
	leastOplogMebibytes   = 990
	largestOplogMebibytes = 50 * 1024
)

// gigabytes is a size as mongod wants it.
func gigabytes(mebibytes int64) string {
	return strconv.FormatFloat(float64(mebibytes)/1024, 'g', 6, 64)
}

// oplogSize is that of the members of a set, in MiB. Where an engine keeps it in memory, it takes a twentieth of that.
func oplogSize(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) int64 {
	switch engineOf(spec, s) {
	case benchv1alpha1.EngineInMemory, benchv1alpha1.EngineEphemeralForTest:
		return s.Resources.Limits.Memory().Value() / product.Mebibyte / 20
	default:
		return oplogMebibytes(s.Volume.Size)
	}
}

// oplogMebibytes is the size of the oplog on a volume of this size: a twentieth, within the bounds of MongoDB's own
// default. Without the flag mongod would take a twentieth of the node's free disk on an emptyDir. On a small volume
// the oplog takes no more than a fifth, so that the data has room.
func oplogMebibytes(volume resource.Quantity) int64 {
	size := volume.Value() / product.Mebibyte
	return min(max(size/20, leastOplogMebibytes), size/5, largestOplogMebibytes)
}

// Configuration is what mongod's flags are elsewhere, by the paths of its configuration file.
func Configuration(spec benchv1alpha1.BenchmarkTargetSpec) map[string]any {
	only := sets(spec)[0]
	const engine = "storage.wiredTiger."
	configuration := map[string]any{
		engine + "engineConfig.cacheSizeGB": number(only.CacheMebibytes, 1024),
		"replication.oplogSizeMB":           oplogSize(spec, only),
	}
	declared := ptr.Deref(spec.MongoDB.Engine, benchv1alpha1.EngineSpec{})
	settings := ptr.Deref(declared.WiredTiger, benchv1alpha1.WiredTigerSpec{})
	if settings.Compressor != nil {
		configuration[engine+"collectionConfig.blockCompressor"] = strings.ToLower(string(*settings.Compressor))
	}
	if settings.JournalCompressor != nil {
		configuration[engine+"engineConfig.journalCompressor"] = strings.ToLower(string(*settings.JournalCompressor))
	}
	if ptr.Deref(settings.IndexPrefixCompression, "") == benchv1alpha1.Disabled {
		configuration[engine+"indexConfig.prefixCompression"] = false
	}
	if settings.JournalCommitMillis != nil {
		configuration["storage.journal.commitIntervalMs"] = int64(*settings.JournalCommitMillis)
	}
	if settings.CheckpointSeconds != nil {
		configuration["storage.syncPeriodSecs"] = int64(*settings.CheckpointSeconds)
	}
	parameters := map[string]any{}
	for _, parameter := range spec.MongoDB.Parameters {
		parameters[parameter.Name] = parameter.Value
	}
	if len(parameters) > 0 {
		configuration["setParameter"] = parameters
	}
	return configuration
}

// number is a fraction, or the whole number that it is: an API server gives a number without a fraction back as such.
func number(count, of int64) any {
	if count%of == 0 {
		return count / of
	}
	return float64(count) / float64(of)
}
