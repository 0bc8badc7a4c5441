package mongodb

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

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
	if f.knows("wiredTigerCacheSizeGB") {
		f.add("wiredTigerCacheSizeGB", gigabytes(cache))
	} else {
		f.add("wiredTigerEngineConfigString", fmt.Sprintf("cache_size=%dM", cache))
	}
	f.add("inMemorySizeGB", gigabytes(cache))
	f.add("cacheSize", strconv.FormatInt(cache*product.Mebibyte, 10))
	if spec.Engine == nil || !s.Measured {
		return
	}
	f.addWiredTiger(ptr.Deref(spec.Engine.WiredTiger, benchv1alpha1.WiredTigerSpec{}))
	toku := ptr.Deref(spec.Engine.TokuMX, benchv1alpha1.TokuMXSpec{})
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
	declared := ptr.Deref(spec.Engine, benchv1alpha1.EngineSpec{})
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
	for _, parameter := range spec.Parameters {
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
