package mongod

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// Release is the part of a version that decides what a mongod knows.
type Release struct {
	Major, Minor int
}

// OldestOfDriver is the oldest release that MongoDB's driver speaks to.
var OldestOfDriver = Release{Major: 4, Minor: 2}

// ParseRelease reads the first two numbers of a version, whose form the API server has checked.
func ParseRelease(version string) Release {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var parsed Release
	parsed.Major, _ = strconv.Atoi(major)
	parsed.Minor, _ = strconv.Atoi(minor)
	return parsed
}

// AtLeast says whether a release is the other or a later one.
func (r Release) AtLeast(other Release) bool {
	return cmp.Or(cmp.Compare(r.Major, other.Major), cmp.Compare(r.Minor, other.Minor)) >= 0
}

func (r Release) String() string {
	return fmt.Sprintf("%d.%d", r.Major, r.Minor)
}

// EngineOfItsTime is the engine of a MongoDB before 3.0, which has one and knows no name for it.
const EngineOfItsTime = benchv1alpha1.EngineName("")

// firstWithEngines is the first release that has storage engines to choose from.
var firstWithEngines = Release{3, 0}

// Engine is the storage engine of the members of a target.
func Engine(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.EngineName {
	if name := engine(spec).Name; name != nil {
		return *name
	}
	if !ParseRelease(spec.Version()).AtLeast(firstWithEngines) {
		return EngineOfItsTime
	}
	return benchv1alpha1.EngineWiredTiger
}

const (
	gibibyte = int64(1) << 30

	// leastCacheMebibytes is the smallest cache that mongod takes.
	leastCacheMebibytes = 256
)

// CacheMebibytes is what a member with this memory limit gives its storage engine: WiredTiger and InMemory by default
// half of what is above 1 GiB, at least 256 MiB. It is MongoDB's own rule, applied to the limit: a mongod before 4.4.14
// does not see the limit under cgroup v2, would size its cache by the node, and would be killed for it. A volume in
// memory is taken off before. TokuMX takes half of the limit, and the other engines know no such size, which is 0.
func CacheMebibytes(spec benchv1alpha1.BenchmarkTargetSpec, memory resource.Quantity) int64 {
	free := (memory.Value() - product.VolumeBytes(spec)) / product.Mebibyte
	if declared := declaredCache(spec); declared != nil {
		return *declared
	}
	switch Engine(spec) {
	case benchv1alpha1.EngineWiredTiger, benchv1alpha1.EngineInMemory:
		return max((free-gibibyte/product.Mebibyte)/2, leastCacheMebibytes)
	case benchv1alpha1.EngineTokuMX:
		return max(free/2, 0)
	default:
		return 0
	}
}

// engine has the settings of a target's engine.
func engine(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.EngineSpec {
	declared := ptr.Deref(spec.MongoDB, benchv1alpha1.MongoDBTarget{})
	return ptr.Deref(declared.Engine, benchv1alpha1.EngineSpec{})
}

func declaredCache(spec benchv1alpha1.BenchmarkTargetSpec) *int64 {
	engine := engine(spec)
	switch Engine(spec) {
	case benchv1alpha1.EngineWiredTiger:
		return ptr.Deref(engine.WiredTiger, benchv1alpha1.WiredTigerSpec{}).CacheMebibytes
	case benchv1alpha1.EngineInMemory:
		return ptr.Deref(engine.InMemory, benchv1alpha1.InMemorySpec{}).SizeMebibytes
	case benchv1alpha1.EngineTokuMX:
		return ptr.Deref(engine.TokuMX, benchv1alpha1.TokuMXSpec{}).CacheMebibytes
	default:
		return nil
	}
}

// Kind tells arguments from parameters.
type Kind string

// The kinds of options.
const (
	// Argument is given as --name or --name value.
	Argument Kind = "argument"
	// Parameter is given as --setParameter name=value.
	Parameter Kind = "parameter"
)

// Option is one argument or parameter of mongod.
type Option struct {
	Name string
	Kind Kind
	// Since and Until are the first release that knows it, and the first one that does not any more. Zero: all do.
	Since, Until Release
	// Engines that know it. None: all do.
	Engines []benchv1alpha1.EngineName
	// Field of a target that stands for it. Empty: none does, and Why says why it may not be set.
	Field string
	Why   string
}

// Find returns the option of this name that the operator has to do with.
func Find(kind Kind, name string) (Option, bool) {
	for _, options := range [][]Option{given, reserved} {
		for i := range options {
			if options[i].Kind == kind && options[i].Name == name {
				return options[i], true
			}
		}
	}
	return Option{}, false
}

// Given returns those that the operator may give.
func Given() []Option {
	return slices.Clone(given)
}

// KnownTo says whether a mongod of this release, with this engine, has the option.
func (o Option) KnownTo(release Release, engine benchv1alpha1.EngineName) bool {
	switch {
	case !release.AtLeast(o.Since):
		return false
	case o.Until != Release{} && release.AtLeast(o.Until):
		return false
	}
	return len(o.Engines) == 0 || slices.Contains(o.Engines, engine)
}

// Engines by what they have in common.
var (
	wiredTiger = []benchv1alpha1.EngineName{benchv1alpha1.EngineWiredTiger}
	inMemory   = []benchv1alpha1.EngineName{benchv1alpha1.EngineInMemory}
	tokuMX     = []benchv1alpha1.EngineName{benchv1alpha1.EngineTokuMX}
	// mongoDBs are those of MongoDB itself since it has a choice. TokuMX is a fork of 2.4.
	mongoDBs = slices.Concat(wiredTiger, inMemory, []benchv1alpha1.EngineName{benchv1alpha1.EngineEphemeralForTest})
)

const (
	inPod       = "the pod and its Services depend on how the operator sets it"
	wholeEngine = "engine.wiredTiger"
)

// given are the options that the operator gives.
var given = []Option{
	{Name: "dbpath", Kind: Argument, Field: "storage"},
	{Name: "port", Kind: Argument, Why: inPod},
	{Name: "bind_ip_all", Kind: Argument, Since: Release{3, 6}, Engines: mongoDBs, Why: inPod},
	{Name: "bind_ip", Kind: Argument, Why: inPod},
	{Name: "ipv6", Kind: Argument, Why: inPod},
	{Name: "nounixsocket", Kind: Argument, Why: inPod},

	{Name: "replSet", Kind: Argument, Field: "replicaSet"},
	{Name: "configsvr", Kind: Argument, Field: "sharded"},
	{Name: "shardsvr", Kind: Argument, Field: "sharded"},
	{Name: "oplogSize", Kind: Argument, Field: "storage"},
	{Name: "keyFile", Kind: Argument, Field: "security.authentication"},
	{Name: "tlsMode", Kind: Argument, Since: Release{4, 2}, Field: "security.tls"},
	{Name: "tlsCertificateKeyFile", Kind: Argument, Since: Release{4, 2}, Field: "security.tls"},
	{Name: "tlsCAFile", Kind: Argument, Since: Release{4, 2}, Field: "security.tls"},
	{Name: "tlsAllowConnectionsWithoutCertificates", Kind: Argument, Since: Release{4, 2}, Field: "security.tls"},

	// Until 3.2 a mongod chooses another engine than WiredTiger by itself.
	{Name: "storageEngine", Kind: Argument, Since: Release{3, 0}, Engines: mongoDBs, Field: "engine.name"},
	// Until 3.4 it took whole gigabytes only. The engine's own configuration takes any size.
	{
		Name: "wiredTigerCacheSizeGB", Kind: Argument, Since: Release{3, 4}, Engines: wiredTiger,
		Field: wholeEngine + ".cacheMebibytes",
	},
	{
		Name: "wiredTigerEngineConfigString", Kind: Argument, Since: Release{3, 0}, Engines: wiredTiger, Field: wholeEngine,
	},
	{
		Name: "wiredTigerCollectionBlockCompressor", Kind: Argument, Since: Release{3, 0}, Engines: wiredTiger,
		Field: wholeEngine + ".compressor",
	},
	{
		Name: "wiredTigerJournalCompressor", Kind: Argument, Since: Release{3, 0}, Engines: wiredTiger,
		Field: wholeEngine + ".journalCompressor",
	},
	{
		Name: "wiredTigerIndexPrefixCompression", Kind: Argument, Since: Release{3, 0}, Engines: wiredTiger,
		Field: wholeEngine + ".indexPrefixCompression",
	},
	{Name: "nojournal", Kind: Argument, Until: Release{6, 1}, Engines: wiredTiger, Field: wholeEngine + ".journal"},
	{Name: "journalCommitInterval", Kind: Argument, Engines: wiredTiger, Field: wholeEngine + ".journalCommitMillis"},
	{Name: "syncdelay", Kind: Argument, Engines: wiredTiger, Field: wholeEngine + ".checkpointSeconds"},
	{
		Name: "inMemorySizeGB", Kind: Argument, Since: Release{3, 2}, Engines: inMemory,
		Field: "engine.inMemory.sizeMebibytes",
	},
	{Name: "cacheSize", Kind: Argument, Engines: tokuMX, Field: "engine.tokuMX.cacheMebibytes"},
	{Name: "directio", Kind: Argument, Engines: tokuMX, Field: "engine.tokuMX.directIO"},

	// From 5.0 on a member that is told to stop waits 15 s for its clients to leave, which is not needed here.
	{
		Name: "shutdownTimeoutMillisForSignaledShutdown", Kind: Parameter, Since: Release{5, 0},
		Why: "a member must be gone before its pod is killed",
	},
	// A range that moved away is kept for 15 minutes by default, and as long as it is, a shard's documents and sizes are
	// counted with those that it gave away.
	{
		Name: "orphanCleanupDelaySecs", Kind: Parameter, Since: Release{3, 6},
		Why: "sizes are read from the shards, which must not count what they gave away",
	},
}

const (
	byDefault = "the operator depends on what it is by default"
	output    = "a pod's mongod stays in the foreground and writes its log to its standard output"
	otherTask = "mongod would do something else than serve"
)

// reserved are options that neither the operator nor anybody else gives.
var reserved = slices.Concat(
	alike(Option{Kind: Argument, Field: "parameters"}, "setParameter"),
	alike(Option{Kind: Argument, Field: "arguments"}, "config"),
	alike(Option{Kind: Argument, Field: wholeEngine + ".journal"}, "journal"),
	alike(Option{Kind: Parameter, Field: wholeEngine + ".checkpointSeconds"}, "syncdelay"),
	alike(Option{Kind: Parameter, Field: wholeEngine + ".journalCommitMillis"}, "journalCommitInterval"),
	alike(Option{Kind: Parameter, Field: wholeEngine}, "wiredTigerEngineRuntimeConfig"),
	alike(Option{Kind: Argument, Field: "replicaSet"}, "master", "slave", "serverless"),
	alike(Option{Kind: Argument, Field: "security.authentication"},
		"auth", "noauth", "transitionToAuth", "clusterAuthMode"),
	alike(Option{Kind: Parameter, Field: "security.authentication"},
		"clusterAuthMode", "authenticationMechanisms", "enableLocalhostAuthBypass"),
	// The topology Job logs in as __system, from whatever address its pod has.
	alike(Option{Kind: Argument, Field: "security.networkPolicy"},
		"clusterIpSourceAllowlist", "clusterIpSourceWhitelist"),
	alike(Option{Kind: Argument, Field: "security.tls"},
		"tlsOnNormalPorts", "tlsClusterFile", "tlsClusterCAFile", "sslMode", "sslOnNormalPorts", "sslPEMKeyFile",
		"sslCAFile", "sslClusterFile"),
	alike(Option{Kind: Parameter, Field: "security.tls"}, "tlsMode", "sslMode"),
	alike(Option{Kind: Argument, Why: output}, "fork", "logpath", "logappend", "syslog", "quiet"),
	// Since 5.0 mongod refuses enableMajorityReadConcern. With EphemeralForTest before that, a change stream ends the
	// server.
	alike(Option{Kind: Argument, Why: byDefault},
		"configExpand", "enableMajorityReadConcern", "pidfilepath", "unixSocketPrefix", "filePermissions"),
	alike(Option{Kind: Argument, Why: otherTask},
		"help", "version", "sysinfo", "shutdown", "repair", "restore", "upgrade", "queryableBackupMode"),
)

// alike are options that differ only in their names.
func alike(of Option, names ...string) []Option {
	options := make([]Option, 0, len(names))
	for _, name := range names {
		of.Name = name
		options = append(options, of)
	}
	return options
}
