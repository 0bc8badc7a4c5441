package mongod

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
	// Field of a target that stands for it. Empty: none does, and Why says why nobody may give it.
	Field string
	Why   string
}

// Find returns the option of this name that the operator has to do with.
func Find(kind Kind, name string) (Option, bool) {
	options := All()
	i := slices.IndexFunc(options, func(o Option) bool { return o.Kind == kind && o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return options[i], true
}

// All returns the whole table.
func All() []Option {
	return slices.Concat(given, reserved)
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
	{Name: "nounixsocket", Kind: Argument, Why: inPod},

	{Name: "replSet", Kind: Argument, Field: "topology"},
	{Name: "configsvr", Kind: Argument, Field: "topology"},
	{Name: "shardsvr", Kind: Argument, Field: "topology"},
	{Name: "oplogSize", Kind: Argument, Field: "storage.size"},
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

	// From 5.0 on a member that is told to stop waits 15 s for its clients to leave, which nobody needs here.
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
var reserved = []Option{
	{Name: "setParameter", Kind: Argument, Field: "parameters"},
	{Name: "config", Kind: Argument, Field: "arguments"},
	{Name: "configExpand", Kind: Argument, Why: byDefault},
	{Name: "journal", Kind: Argument, Field: wholeEngine + ".journal"},
	{Name: "syncdelay", Kind: Parameter, Field: wholeEngine + ".checkpointSeconds"},
	{Name: "journalCommitInterval", Kind: Parameter, Field: wholeEngine + ".journalCommitMillis"},
	{Name: "wiredTigerEngineRuntimeConfig", Kind: Parameter, Field: wholeEngine},
	{Name: "master", Kind: Argument, Field: "topology"},
	{Name: "slave", Kind: Argument, Field: "topology"},
	{Name: "serverless", Kind: Argument, Field: "topology"},
	// Since 5.0 mongod refuses it. With EphemeralForTest before that, a change stream ends the server.
	{Name: "enableMajorityReadConcern", Kind: Argument, Why: byDefault},

	{Name: "auth", Kind: Argument, Field: "security.authentication"},
	{Name: "noauth", Kind: Argument, Field: "security.authentication"},
	{Name: "transitionToAuth", Kind: Argument, Field: "security.authentication"},
	{Name: "clusterAuthMode", Kind: Argument, Field: "security.authentication"},
	{Name: "clusterAuthMode", Kind: Parameter, Field: "security.authentication"},
	{Name: "authenticationMechanisms", Kind: Parameter, Field: "security.authentication"},
	{Name: "enableLocalhostAuthBypass", Kind: Parameter, Field: "security.authentication"},
	// The topology Job logs in as __system, from whatever address its pod has.
	{Name: "clusterIpSourceAllowlist", Kind: Argument, Field: "security.networkPolicy"},
	{Name: "clusterIpSourceWhitelist", Kind: Argument, Field: "security.networkPolicy"},
	{Name: "tlsOnNormalPorts", Kind: Argument, Field: "security.tls"},
	{Name: "tlsClusterFile", Kind: Argument, Field: "security.tls"},
	{Name: "tlsClusterCAFile", Kind: Argument, Field: "security.tls"},
	{Name: "tlsMode", Kind: Parameter, Field: "security.tls"},
	{Name: "sslMode", Kind: Argument, Field: "security.tls"},
	{Name: "sslMode", Kind: Parameter, Field: "security.tls"},
	{Name: "sslOnNormalPorts", Kind: Argument, Field: "security.tls"},
	{Name: "sslPEMKeyFile", Kind: Argument, Field: "security.tls"},
	{Name: "sslCAFile", Kind: Argument, Field: "security.tls"},
	{Name: "sslClusterFile", Kind: Argument, Field: "security.tls"},

	{Name: "fork", Kind: Argument, Why: output},
	{Name: "logpath", Kind: Argument, Why: output},
	{Name: "logappend", Kind: Argument, Why: output},
	{Name: "syslog", Kind: Argument, Why: output},
	{Name: "quiet", Kind: Argument, Why: output},
	{Name: "pidfilepath", Kind: Argument, Why: byDefault},
	{Name: "unixSocketPrefix", Kind: Argument, Why: byDefault},
	{Name: "filePermissions", Kind: Argument, Why: byDefault},
	{Name: "help", Kind: Argument, Why: otherTask},
	{Name: "version", Kind: Argument, Why: otherTask},
	{Name: "sysinfo", Kind: Argument, Why: otherTask},
	{Name: "shutdown", Kind: Argument, Why: otherTask},
	{Name: "repair", Kind: Argument, Why: otherTask},
	{Name: "restore", Kind: Argument, Why: otherTask},
	{Name: "upgrade", Kind: Argument, Why: otherTask},
	{Name: "queryableBackupMode", Kind: Argument, Why: otherTask},
}
