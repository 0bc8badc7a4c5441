package mongod

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
