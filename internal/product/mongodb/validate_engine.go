package mongodb

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// Releases from which on something is different.
var (
	leastVersion       = mongod.Release{Major: 2, Minor: 4}
	firstToday         = mongod.Release{Major: 4, Minor: 2}
	firstWiredTiger    = mongod.Release{Major: 3}
	firstOtherEngines  = mongod.Release{Major: 3, Minor: 2}
	alwaysJournals     = mongod.Release{Major: 6, Minor: 1}
	withoutEphemeral   = mongod.Release{Major: 6, Minor: 1}
	lastTokuMXHasMajor = mongod.Release{Major: 2, Minor: 1}
	withoutLSM         = mongod.Release{Major: 5, Minor: 1}
)

// storageEngine refuses engines that the version does not have, or that cannot do what is asked of them. That TokuMX, a
// fork of MongoDB 2.4, is a Standalone without users is checked as for any version of its time.
func (c *check) storageEngine() {
	path := c.Path.Child("engine", "name")
	switch c.engine {
	case benchv1alpha1.EngineWiredTiger:
		c.Refuse(!c.release.AtLeast(firstWiredTiger), path, c.engine,
			"version %s has none; leave engine out, for the one that it has", c.release)
	case benchv1alpha1.EngineInMemory:
		c.Refuse(!c.release.AtLeast(firstOtherEngines), path, c.engine, "version %s has none; it is there since 3.2",
			c.release)
		c.wantImage("the community's mongod has no engine InMemory; name an image of MongoDB Enterprise or Percona Server " +
			"for MongoDB")
	case benchv1alpha1.EngineEphemeralForTest:
		c.Refuse(c.release.AtLeast(withoutEphemeral) || !c.release.AtLeast(firstOtherEngines), path, c.engine,
			"version %s has none: MongoDB has it from 3.2 to 6.0", c.release)
	case benchv1alpha1.EngineTokuMX:
		c.Refuse(c.release.AtLeast(lastTokuMXHasMajor), path, c.engine,
			"is there in version 2.0 of TokuMX; spec.version is that of TokuMX")
	}
}

// wantImage says why an image has to be named, where none is.
func (c *check) wantImage(why string) {
	if c.Spec.Image == nil {
		c.ErrorList = append(c.ErrorList, field.Required(c.Path.Child("image"), why))
	}
}

// wiredTiger refuses settings that the version or the topology does not allow.
func (c *check) wiredTiger() {
	settings := ptr.Deref(ptr.Deref(c.Spec.Engine, benchv1alpha1.EngineSpec{}).WiredTiger, benchv1alpha1.WiredTigerSpec{})
	path := c.Path.Child("engine", "wiredTiger")
	without := ptr.Deref(settings.Journal, "") == benchv1alpha1.Disabled
	c.Refuse(without && c.Spec.Topology != benchv1alpha1.TopologyStandalone, path.Child("journal"), settings.Journal,
		"members of a replica set need a journal; use topology Standalone, or leave it Enabled")
	c.Refuse(without && c.release.AtLeast(alwaysJournals), path.Child("journal"), settings.Journal,
		"version %s always has a journal; only those before 6.1 can do without", c.release)
	lsm := ptr.Deref(settings.Type, "") == benchv1alpha1.WiredTigerLSM
	c.Refuse(lsm && (c.release.AtLeast(withoutLSM) || !c.release.AtLeast(firstToday)), path.Child("type"), settings.Type,
		"version %s is not known to work with it, and 6.0 ends with the first insert; use 4.2 to 5.0", c.release)
	check := func(name string, compressor *benchv1alpha1.Compressor) {
		c.Refuse(ptr.Deref(compressor, "") == benchv1alpha1.CompressorZstd && !c.release.AtLeast(firstToday),
			path.Child(name), compressor, "needs version 4.2 or later")
	}
	check("compressor", settings.Compressor)
	check("journalCompressor", settings.JournalCompressor)
}

// legacy says what a version is run with that the drivers of today do not speak to.
func (c *check) legacy() {
	if c.release.AtLeast(firstToday) {
		return
	}
	security, path := c.Normal.Security, c.Path.Child("security")
	c.Refuse(!c.release.AtLeast(leastVersion) && c.engine != benchv1alpha1.EngineTokuMX,
		c.Path.Child("version"), ptr.Deref(c.Spec.Version, ""), "must be 2.4 or later, unless engine.name is TokuMX")
	c.wantImage("versions before 4.2 are run from an image of one's own; name one")
	c.Refuse(c.Spec.Topology != benchv1alpha1.TopologyStandalone, c.Path.Child("topology"), c.Spec.Topology,
		"versions before 4.2 are run as a Standalone only")
	c.Refuse(*security.Authentication != benchv1alpha1.Disabled, path.Child("authentication"), *security.Authentication,
		"must be Disabled for versions before 4.2, which know no SCRAM-SHA-256 with keyfiles as they are used here")
	c.Refuse(*security.TLS.Mode != benchv1alpha1.TLSOff, path.Child("tls", "mode"), *security.TLS.Mode,
		"must be Off for versions before 4.2, which have other flags for it")
}
