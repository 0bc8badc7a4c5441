package mongodb

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// check checks a target.
type check struct {
	product.Target
	release mongod.Release
	engine  benchv1alpha1.EngineName
	product.Findings
}

// ValidateTarget implements product.Product.
func (MongoDB) ValidateTarget(target product.Target) field.ErrorList {
	c := &check{Target: target, release: releaseOf(*target.Spec), engine: mongod.Engine(*target.Spec)}
	for _, validate := range []func(){
		c.series, c.memory, c.sharded, c.legacy, c.storageEngine, c.wiredTiger, c.parameters, c.arguments, c.provider,
		c.durability, c.members,
	} {
		validate()
	}
	return c.ErrorList
}

// lastMinor are the last series of the major releases that are complete.
var lastMinor = map[int]int{2: 6, 3: 6, 4: 4, 5: 3, 6: 3, 7: 3}

// series refuses a version of a series that never was.
func (c *check) series() {
	last, complete := lastMinor[c.release.Major]
	c.Refuse(complete && c.release.Minor > last, c.Path.Child("version"), c.Spec.Version(),
		"was never released: the last series of MongoDB %[1]d is %[1]d.%[2]d", c.release.Major, last)
}

// sharded refuses what sharded clusters of the version do not have.
func (c *check) sharded() {
	servers := ptr.Deref(ptr.Deref(c.Spec.MongoDB.Sharded, benchv1alpha1.ShardedSpec{}).ConfigServers,
		benchv1alpha1.ConfigServersSpec{})
	kind := ptr.Deref(servers.Kind, "")
	c.Refuse(kind == benchv1alpha1.ConfigServersShard && !c.release.AtLeast(mongod.Release{Major: 8}),
		c.Path.Child("sharded", "configServers", "kind"), kind,
		"a shard that is config server as well needs version 8.0 or later; use Dedicated")
}

const (
	// leastBesideCache is what a mongod needs above its cache. With the smallest cache of 256 MiB, of which it fills four
	// fifths before it evicts, and a limit of 320 MiB it took 600 MB of inserts; with less the kernel kills it as soon as
	// the cache is full.
	leastBesideCache = 64
)

// memory refuses limits that the caches and volumes in memory do not fit into.
func (c *check) memory() {
	c.memoryFits(c.Normal, *c.Normal.MongoDB.Resources.Limits.Memory(), c.Path.Child("resources", "limits").Key("memory"))
	sharded := ptr.Deref(c.Spec.MongoDB.Sharded, benchv1alpha1.ShardedSpec{})
	servers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	limits := ptr.Deref(servers.Resources, corev1.ResourceRequirements{}).Limits
	if memory, declared := limits[corev1.ResourceMemory]; declared {
		c.memoryFits(plainly(c.Spec.Version()), memory,
			c.Path.Child("sharded", "configServers", "resources", "limits").Key("memory"))
	}
}

func (c *check) memoryFits(spec benchv1alpha1.BenchmarkTargetSpec, limit resource.Quantity, path *field.Path) {
	cache := mongod.CacheMebibytes(spec, limit)
	volume := (product.VolumeBytes(spec) + product.Mebibyte - 1) / product.Mebibyte
	needed := cache + volume + leastBesideCache
	var parts []string
	if cache > 0 {
		parts = append(parts, fmt.Sprintf("%d Mi of cache", cache))
	}
	if volume > 0 {
		parts = append(parts, fmt.Sprintf("%d Mi of a volume in memory", volume))
	}
	parts = append(parts, fmt.Sprintf("%d Mi beside", leastBesideCache))
	c.Refuse(limit.Value() < needed*product.Mebibyte, path, limit.String(),
		"must be at least %dMi, or a member is killed while it is loaded: %s", needed, strings.Join(parts, " + "))
}

// parameters refuses those that the operator sets, or that a field stands for.
func (c *check) parameters() {
	for _, parameter := range c.Spec.MongoDB.Parameters {
		option, owned := mongod.Find(mongod.Parameter, parameter.Name)
		c.Refuse(owned, c.Path.Child("parameters").Key(parameter.Name), parameter.Name, "%s", c.instead(option))
	}
}

// arguments refuses those that the operator gives, or that a field stands for, and any that is given twice.
func (c *check) arguments() {
	seen := map[string]bool{}
	for i, argument := range c.Spec.MongoDB.Arguments {
		path := c.Path.Child("arguments").Index(i)
		name, _, _ := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		option, owned := mongod.Find(mongod.Argument, name)
		c.Refuse(owned, path, argument, "%s", c.instead(option))
		if seen[name] {
			c.ErrorList = append(c.ErrorList, field.Duplicate(path, argument))
		}
		seen[name] = true
	}
}

// instead says what to do in place of giving an option.
func (c *check) instead(option mongod.Option) string {
	if option.Field == "" {
		return "cannot be given: " + option.Why
	}
	return "use " + c.Path.String() + "." + option.Field + " instead"
}

// provider refuses what the MongoDB Community Operator cannot be told by its MongoDBCommunity object, or what would
// make it something else than what it deploys.
func (c *check) provider() {
	if *c.Normal.MongoDB.Provider != benchv1alpha1.ProviderMongoDBCommunity {
		return
	}
	const byItself = "cannot be had with provider MongoDBCommunity, which %s; leave it out, or use provider Operator"
	refuse := func(is bool, value any, why string, path ...string) {
		c.Refuse(is, c.Path.Child(path[0], path[1:]...), value, byItself, why)
	}
	forbid := func(is bool, why string, path ...string) {
		c.Forbid(is, c.Path.Child(path[0], path[1:]...), byItself, why)
	}
	directory, tls := c.Normal.MongoDB.Storage.EmptyDir, *c.Normal.MongoDB.Security.TLS.Mode
	authentication, restarts := *c.Normal.MongoDB.Security.Authentication, *c.Normal.MongoDB.MemberRestarts
	policy := ptr.Deref(ptr.Deref(c.Spec.MongoDB.Security, benchv1alpha1.SecuritySpec{}).NetworkPolicy, "")
	refuse(c.engine != benchv1alpha1.EngineWiredTiger, c.engine, "deploys WiredTiger", "engine", "name")
	set := ptr.Deref(c.Spec.MongoDB.ReplicaSet, benchv1alpha1.ReplicaSetSpec{})
	forbid(set.Arbiters != nil, "is told the number of members alone", "replicaSet", "arbiters")
	forbid(set.MemberSettings != nil, "is told the number of members alone", "replicaSet", "memberSettings")
	forbid(directory != nil, "claims volumes", "storage", "emptyDir")
	refuse(c.Spec.MongoDB.Image != nil, ptr.Deref(c.Spec.MongoDB.Image, ""), "has an image of its own", "image")
	forbid(len(c.Spec.MongoDB.Arguments) > 0, "starts mongod with a configuration file that has parameters alone",
		"arguments")
	refuse(authentication != benchv1alpha1.Enabled, authentication, "always has users", "security", "authentication")
	refuse(tls != benchv1alpha1.TLSDisabled, tls, "has certificates of its own", "security", "tls", "mode")
	refuse(policy == benchv1alpha1.Enabled, policy,
		"lets everybody reach the members", "security", "networkPolicy")
	forbid(c.Spec.MongoDB.Placement != nil, "places the members", "placement")
	ids := ptr.Deref(c.Spec.MongoDB.PodSettings, benchv1alpha1.PodSettings{}).SecurityContext
	forbid(ids != nil, "has users of its own", "podSettings", "securityContext")
	refuse(restarts != benchv1alpha1.MemberRestartsFail, restarts, "restarts members as it sees fit", "memberRestarts")
}

// durability refuses one that a deployed MongoDB cannot give.
func (c *check) durability() {
	declared, path := ptr.Deref(c.Spec.MongoDB.Durability, ""), c.Path.Child("durability")
	wiredTiger := ptr.Deref(ptr.Deref(c.Spec.MongoDB.Engine, benchv1alpha1.EngineSpec{}).WiredTiger,
		benchv1alpha1.WiredTigerSpec{})
	c.Refuse(declared == benchv1alpha1.DurabilityMajority && c.Spec.Topology() == benchv1alpha1.TopologyStandalone,
		path, declared, "a standalone is no majority; use Synced, or a replicaSet")
	synced := declared == benchv1alpha1.DurabilitySynced
	volatile := c.engine == benchv1alpha1.EngineInMemory || c.engine == benchv1alpha1.EngineEphemeralForTest
	c.Refuse(synced && volatile, path, declared, "engine %s writes nothing to a disk; use Memory", c.engine)
	c.Refuse(synced && !volatile && ptr.Deref(wiredTiger.Journal, "") == benchv1alpha1.Disabled, path, declared,
		"what is Synced is in the journal; leave engine.wiredTiger.journal Enabled, or use Memory")
}

// ValidateRun refuses collections that the target's version or router does not have, and operations that cannot do
// without an acknowledgement where its durability is None.
func (MongoDB) ValidateRun(run product.Run) field.ErrorList {
	errs := validateCollections(run)
	for i, step := range run.Spec.Workload.Steps {
		for k, declared := range step.Operations {
			if ptr.Deref(run.Target.Durability(), "") == benchv1alpha1.DurabilityNone && declared.WriteConcern == nil &&
				operation.Of(declared.Kind).Acknowledged {
				path := run.Path.Child("workload", "steps").Index(i).Child("operations").Index(k).Child("writeConcern")
				errs = append(errs, field.Required(path, fmt.Sprintf(
					"the target's durability is None, and a %s has to be acknowledged; give it one of its own", declared.Kind)))
			}
		}
	}
	return errs
}

// Releases from which on something is different.
var (
	leastVersion       = mongod.Release{Major: 2, Minor: 4}
	firstToday         = mongod.OldestOfDriver
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
			"version %s has no such engine; leave engine out for the one that it has", c.release)
	case benchv1alpha1.EngineInMemory:
		c.Refuse(!c.release.AtLeast(firstOtherEngines), path, c.engine,
			"version %s has no such engine; use 3.2 or later", c.release)
		c.wantImage("the community's mongod has no engine InMemory; name an image of MongoDB Enterprise or Percona Server " +
			"for MongoDB")
	case benchv1alpha1.EngineEphemeralForTest:
		c.Refuse(c.release.AtLeast(withoutEphemeral) || !c.release.AtLeast(firstOtherEngines), path, c.engine,
			"version %s has no such engine; use one from 3.2 to 6.0", c.release)
	case benchv1alpha1.EngineTokuMX:
		c.Refuse(c.release.AtLeast(lastTokuMXHasMajor), path, c.engine,
			"TokuMX has no version %s; version has to be that of TokuMX, such as 2.0", c.release)
	case mongod.EngineOfItsTime:
	default:
		c.Add(field.NotSupported(path, c.engine, []benchv1alpha1.EngineName{
			benchv1alpha1.EngineWiredTiger, benchv1alpha1.EngineInMemory, benchv1alpha1.EngineEphemeralForTest,
			benchv1alpha1.EngineTokuMX,
		}))
	}
}

// wantImage says why an image has to be named, where none is.
func (c *check) wantImage(why string) {
	if c.Spec.MongoDB.Image == nil {
		c.ErrorList = append(c.ErrorList, field.Required(c.Path.Child("image"), why))
	}
}

// wiredTiger refuses settings that the version or the topology does not allow.
func (c *check) wiredTiger() {
	engine := ptr.Deref(c.Spec.MongoDB.Engine, benchv1alpha1.EngineSpec{})
	settings := ptr.Deref(engine.WiredTiger, benchv1alpha1.WiredTigerSpec{})
	path := c.Path.Child("engine", "wiredTiger")
	without := ptr.Deref(settings.Journal, "") == benchv1alpha1.Disabled
	c.Refuse(without && c.Spec.Topology() != benchv1alpha1.TopologyStandalone, path.Child("journal"), settings.Journal,
		"members of a replica set need a journal; use a standalone, or leave it Enabled")
	c.Refuse(without && c.release.AtLeast(alwaysJournals), path.Child("journal"), settings.Journal,
		"version %s always has a journal; only those before 6.1 can do without", c.release)
	product.WantKnown(&c.Findings, settings.Type, path.Child("type"),
		benchv1alpha1.WiredTigerBTree, benchv1alpha1.WiredTigerLSM)
	lsm := ptr.Deref(settings.Type, "") == benchv1alpha1.WiredTigerLSM
	c.Refuse(lsm && (c.release.AtLeast(withoutLSM) || !c.release.AtLeast(firstToday)), path.Child("type"), settings.Type,
		"version %s is not known to work with it, and mongod 6.0 exits at the first insert; use 4.2 to 5.0", c.release)
	check := func(name string, compressor *benchv1alpha1.Compressor) {
		product.WantCompressor(&c.Findings, compressor, path.Child(name))
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
	security, path := c.Normal.MongoDB.Security, c.Path.Child("security")
	c.Refuse(!c.release.AtLeast(leastVersion) && c.engine != benchv1alpha1.EngineTokuMX,
		c.Path.Child("version"), c.Spec.Version(), "must be 2.4 or later, unless engine.name is TokuMX")
	c.wantImage("versions before 4.2 are run from an image of one's own; name one")
	c.Refuse(c.Spec.Topology() != benchv1alpha1.TopologyStandalone, c.Path, c.Spec.Topology(),
		"versions before 4.2 are run as a standalone only; leave replicaSet and sharded out")
	c.Refuse(*security.Authentication != benchv1alpha1.Disabled, path.Child("authentication"), *security.Authentication,
		"must be Disabled for versions before 4.2, which know no SCRAM-SHA-256 with keyfiles as they are used here")
	c.Refuse(*security.TLS.Mode != benchv1alpha1.TLSDisabled, path.Child("tls", "mode"), *security.TLS.Mode,
		"must be Disabled for versions before 4.2, which have other flags for it")
}
