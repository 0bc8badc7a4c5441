package validation

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// firstCompoundHashed is the first release that has shard keys of several fields of which one is hashed.
var firstCompoundHashed = mongod.Release{Major: 4, Minor: 4}

// shardingCheck checks how one collection is spread.
type shardingCheck struct {
	*product.Findings
	sharding *benchv1alpha1.Sharding
	// target is nil where it is not known here.
	target *benchv1alpha1.BenchmarkTargetSpec
	path   *field.Path
}

// validateSharding checks how the collections are spread, with the target where a run declares it.
func validateSharding(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	for i := range spec.Dataset.Collections {
		if declared := spec.Dataset.Collections[i].Sharding; declared != nil {
			c := shardingCheck{Findings: found, sharding: declared, path: path.Index(i).Child("sharding")}
			if spec.Target != nil && spec.Target.Topology() == benchv1alpha1.TopologySharded {
				c.target = spec.Target
			}
			c.splitPoints()
			c.zones()
			if c.target != nil {
				compoundHashed(found, declared.Key, c.target, c.path.Child("key"))
			}
		}
	}
}

// compoundHashed refuses a shard key that the version does not have.
func compoundHashed(
	found *product.Findings, key []benchv1alpha1.IndexKey, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) {
	release := mongod.ParseRelease(target.Version())
	hashed := slices.ContainsFunc(key, func(k benchv1alpha1.IndexKey) bool {
		return *k.Type == benchv1alpha1.IndexKeyHashed
	})
	byClient := ptr.Deref(target.MongoDB.Sharded.Router, "") == benchv1alpha1.RouterClient
	found.Refuse(hashed && len(key) != 1 && !byClient && !release.AtLeast(firstCompoundHashed), path, len(key),
		"a Hashed key among others needs version 4.4 or later; version %s has it alone", release)
}

// splitPoints wants values in ascending order. How values of several types compare is MongoDB's to say.
func (c shardingCheck) splitPoints() {
	if path := c.path.Child("splitPoints"); len(c.sharding.SplitPoints) > 0 {
		c.Forbid(c.sharding.InitialChunks != nil, path, "initialChunks is for hashed keys and splitPoints for ranges")
		c.Forbid(*c.sharding.Key[0].Type == benchv1alpha1.IndexKeyHashed, path,
			"splitPoints need a first key that is not Hashed")
	}
	for i, point := range c.sharding.SplitPoints {
		path := c.path.Child("splitPoints").Index(i)
		if c.boundary(point, path) && i > 0 {
			before := c.sharding.SplitPoints[i-1]
			c.Refuse(!ascending(before, point), path, point.Text(), "must be greater than the one before, %s", before.Text())
		}
	}
}

func (c shardingCheck) zones() {
	path := c.path.Child("zones")
	sharded := benchv1alpha1.ShardedSpec{}
	if c.target != nil {
		sharded = *c.target.MongoDB.Sharded
	}
	if len(c.sharding.Zones) > 0 && ptr.Deref(sharded.Router, "") == benchv1alpha1.RouterClient {
		c.Forbid(true, path, "zones need a router Mongos; use splitPoints with router Client")
		return
	}
	for i := range c.sharding.Zones {
		zone, zonePath := &c.sharding.Zones[i], path.Index(i)
		c.zoneRange(zone, zonePath)
		for j, shard := range zone.Shards {
			shards := ptr.Deref(sharded.Shards, 0)
			c.Refuse(sharded.Shards != nil && shard >= shards, zonePath.Child("shards").Index(j), shard,
				"must be less than the number of shards, %d: they count from 0", shards)
		}
	}
}

func (c shardingCheck) zoneRange(zone *benchv1alpha1.ShardingZone, path *field.Path) {
	least := zone.Min == nil || c.boundary(*zone.Min, path.Child("min"))
	largest := zone.Max == nil || c.boundary(*zone.Max, path.Child("max"))
	if least && largest && zone.Min != nil && zone.Max != nil {
		c.Refuse(!ascending(*zone.Min, *zone.Max), path.Child("max"), zone.Max.Text(), "must be greater than min, %s",
			zone.Min.Text())
	}
}

// boundary wants a constant in which the order of keys does not decide, unless it is kept.
func (c shardingCheck) boundary(bound benchv1alpha1.Constant, path *field.Path) (valid bool) {
	value, valid := validateConstant(c.Findings, bound, path)
	refuseUnordered(c.Findings, document.UnorderedConstant(value, path))
	return valid
}

// ascending says whether a value is less than another, as far as plain numbers and texts tell; the load generator knows
// the others.
func ascending(less, greater benchv1alpha1.Constant) bool {
	switch first := plain(less).(type) {
	case string:
		second, ok := plain(greater).(string)
		return !ok || first < second
	case json.Number:
		second, ok := plain(greater).(json.Number)
		return !ok || lessNumber(first, second)
	default:
		return true
	}
}

// plain reads a number or a text; of anything else it says nothing.
func plain(constant benchv1alpha1.Constant) any {
	value, err := document.Parse(constant.Text())
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(value.JSON()))
	decoder.UseNumber()
	var read any
	if decoder.Decode(&read) != nil {
		return nil
	}
	return read
}

func lessNumber(lesser, greater json.Number) bool {
	first, err := lesser.Int64()
	second, err2 := greater.Int64()
	if err == nil && err2 == nil {
		return first < second
	}
	one, err := lesser.Float64()
	other, err2 := greater.Float64()
	return err != nil || err2 != nil || one < other
}
