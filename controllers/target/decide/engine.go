package decide

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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

// addEngine gives the storage engine, its memory and its settings. Config servers get the memory alone.
func (f *flags) addEngine(spec benchv1alpha1.BenchmarkTargetSpec, s set) {
	if f.engine != benchv1alpha1.EngineWiredTiger || !f.release.AtLeast(wiredTigerByDefault) {
		f.add("storageEngine", engineNames[f.engine])
	}
	cache := cacheMebibytes(spec, s)
	if f.knows("wiredTigerCacheSizeGB") {
		f.add("wiredTigerCacheSizeGB", gigabytes(cache))
	} else {
		f.add("wiredTigerEngineConfigString", fmt.Sprintf("cache_size=%dM", cache))
	}
	f.add("inMemorySizeGB", gigabytes(cache))
	f.add("cacheSize", strconv.FormatInt(cache*mebibyte, 10))
	if spec.Engine == nil || !s.holdsData() {
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
