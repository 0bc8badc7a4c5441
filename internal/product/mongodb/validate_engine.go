package mongodb

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
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

// storageEngine refuses engines that the version does not have, or that cannot do what is asked of them.
func (c check) storageEngine() field.ErrorList {
	path := c.Path.Child("engine", "name")
	switch c.engine {
	case benchv1alpha1.EngineWiredTiger:
		if !c.release.AtLeast(firstWiredTiger) {
			return product.Refused(path, c.engine, "version %s has none; leave engine out, for the one that it has", c.release)
		}
	case benchv1alpha1.EngineInMemory:
		return c.inMemory(path)
	case benchv1alpha1.EngineEphemeralForTest:
		if c.release.AtLeast(withoutEphemeral) || !c.release.AtLeast(firstOtherEngines) {
			return product.Refused(path, c.engine, "version %s has none: MongoDB has it from 3.2 to 6.0", c.release)
		}
	case benchv1alpha1.EngineTokuMX:
		return c.tokuMX(path)
	}
	return nil
}

func (c check) inMemory(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !c.release.AtLeast(firstOtherEngines) {
		errs = append(errs, product.Refused(path, c.engine, "version %s has none; it is there since 3.2", c.release)...)
	}
	if c.Spec.Image == nil {
		errs = append(errs, field.Required(c.Path.Child("image"),
			"the community's mongod has no engine InMemory; name an image of MongoDB Enterprise or Percona Server for MongoDB"))
	}
	return errs
}

// tokuMX says what this fork of MongoDB 2.4 is run with. That it is a Standalone without users is checked as for any
// version of its time.
func (c check) tokuMX(path *field.Path) field.ErrorList {
	if c.release.AtLeast(lastTokuMXHasMajor) {
		return product.Refused(path, c.engine, "is there in version 2.0 of TokuMX; spec.version is that of TokuMX")
	}
	return nil
}

// wiredTiger refuses settings that the version or the topology does not allow.
func (c check) wiredTiger() field.ErrorList {
	if c.Spec.Engine == nil || c.Spec.Engine.WiredTiger == nil {
		return nil
	}
	settings, path := c.Spec.Engine.WiredTiger, c.Path.Child("engine", "wiredTiger")
	var errs field.ErrorList
	if ptr.Deref(settings.Journal, "") == benchv1alpha1.Disabled {
		journal := path.Child("journal")
		if c.Spec.Topology != benchv1alpha1.TopologyStandalone {
			errs = append(errs, product.Refused(journal, *settings.Journal,
				"members of a replica set need a journal; use topology Standalone, or leave it Enabled")...)
		}
		if c.release.AtLeast(alwaysJournals) {
			errs = append(errs, product.Refused(journal, *settings.Journal,
				"version %s always has a journal; only those before 6.1 can do without", c.release)...)
		}
	}
	lsm := ptr.Deref(settings.Type, "") == benchv1alpha1.WiredTigerLSM
	if lsm && (c.release.AtLeast(withoutLSM) || !c.release.AtLeast(firstToday)) {
		errs = append(errs, product.Refused(path.Child("type"), *settings.Type,
			"version %s is not known to work with it, and 6.0 ends with the first insert; use 4.2 to 5.0", c.release)...)
	}
	check := func(name string, compressor *benchv1alpha1.Compressor) {
		if ptr.Deref(compressor, "") == benchv1alpha1.CompressorZstd && !c.release.AtLeast(firstToday) {
			errs = append(errs, product.Refused(path.Child(name), *compressor, "needs version 4.2 or later")...)
		}
	}
	check("compressor", settings.Compressor)
	check("journalCompressor", settings.JournalCompressor)
	return errs
}

// legacy says what a version is run with that the drivers of today do not speak to.
func (c check) legacy() field.ErrorList {
	if c.release.AtLeast(firstToday) {
		return nil
	}
	var errs field.ErrorList
	if !c.release.AtLeast(leastVersion) && c.engine != benchv1alpha1.EngineTokuMX {
		errs = append(errs, product.Refused(c.Path.Child("version"), ptr.Deref(c.Spec.Version, ""),
			"must be 2.4 or later, unless engine.name is TokuMX")...)
	}
	if c.Spec.Image == nil {
		errs = append(errs, field.Required(c.Path.Child("image"),
			"versions before 4.2 are run from an image of one's own; name one"))
	}
	if c.Spec.Topology != benchv1alpha1.TopologyStandalone {
		errs = append(errs, product.Refused(c.Path.Child("topology"), c.Spec.Topology,
			"versions before 4.2 are run as a Standalone only")...)
	}
	authentication := *c.Normal.Security.Authentication
	if authentication != benchv1alpha1.Disabled {
		errs = append(errs, product.Refused(c.Path.Child("security", "authentication"), authentication,
			"must be Disabled for versions before 4.2, which know no SCRAM-SHA-256 with keyfiles as they are used here")...)
	}
	if mode := *c.Normal.Security.TLS.Mode; mode != benchv1alpha1.TLSOff {
		errs = append(errs, product.Refused(c.Path.Child("security", "tls", "mode"), mode,
			"must be Off for versions before 4.2, which have other flags for it")...)
	}
	return errs
}
