package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// Releases from which on there are kinds of shard keys, and ways to change one.
var (
	firstCompoundHashed = mongod.Release{Major: 4, Minor: 4}
	firstRefine         = mongod.Release{Major: 4, Minor: 4}
	firstReshard        = mongod.Release{Major: 5}
)

// shardingCheck checks how one collection is spread.
type shardingCheck struct {
	sharding *benchv1alpha1.Sharding
	// target is nil where it is not known here.
	target *benchv1alpha1.BenchmarkTargetSpec
	path   *field.Path
}

// validateSharding checks how the collections are spread, with the target where a run declares it.
func validateSharding(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range spec.Dataset.Collections {
		if declared := spec.Dataset.Collections[i].Sharding; declared != nil {
			c := shardingCheck{sharding: declared, path: path.Index(i).Child("sharding")}
			if spec.Target != nil && spec.Target.Topology == benchv1alpha1.TopologySharded &&
				spec.Target.Sharded != nil {
				c.target = spec.Target
			}
			errs = append(errs, c.splitPoints()...)
			errs = append(errs, c.zones()...)
			errs = append(errs, c.key()...)
		}
	}
	return errs
}

// key refuses a shard key that the version does not have.
func (c shardingCheck) key() field.ErrorList {
	if c.target == nil {
		return nil
	}
	return compoundHashed(c.sharding.Key, c.target, c.path.Child("key"))
}

func compoundHashed(
	key []benchv1alpha1.IndexKey, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) field.ErrorList {
	release := mongod.ParseRelease(ptr.Deref(target.Version, ""))
	hashed := slices.ContainsFunc(key, func(k benchv1alpha1.IndexKey) bool {
		return *k.Type == benchv1alpha1.IndexKeyHashed
	})
	byClient := ptr.Deref(ptr.Deref(target.Sharded, benchv1alpha1.ShardedSpec{}).Router, "") == benchv1alpha1.RouterClient
	if !hashed || len(key) == 1 || byClient || release.AtLeast(firstCompoundHashed) {
		return nil
	}
	return product.Refused(path, len(key),
		"a Hashed key among others needs version 4.4 or later; version %s has it alone", release)
}

// splitPoints wants values in ascending order. How values of several types compare is MongoDB's to say.
func (c shardingCheck) splitPoints() field.ErrorList {
	var errs field.ErrorList
	for i, point := range c.sharding.SplitPoints {
		path := c.path.Child("splitPoints").Index(i)
		if err := boundary(point); err != nil {
			errs = append(errs, product.Refused(path, point, "%v", err)...)
			continue
		}
		if i > 0 && !ascending(c.sharding.SplitPoints[i-1], point) {
			errs = append(errs, product.Refused(path, point,
				"must be greater than the one before, %s", c.sharding.SplitPoints[i-1])...)
		}
	}
	return errs
}

func (c shardingCheck) zones() field.ErrorList {
	var errs field.ErrorList
	path := c.path.Child("zones")
	sharded := benchv1alpha1.ShardedSpec{}
	if c.target != nil {
		sharded = *c.target.Sharded
	}
	if len(c.sharding.Zones) > 0 && ptr.Deref(sharded.Router, "") == benchv1alpha1.RouterClient {
		return field.ErrorList{field.Forbidden(path, "zones need a router Mongos; use splitPoints with router Client")}
	}
	for i := range c.sharding.Zones {
		zone, zonePath := &c.sharding.Zones[i], path.Index(i)
		errs = append(errs, zoneRange(zone, zonePath)...)
		for j, shard := range zone.Shards {
			if sharded.Shards != nil && shard >= *sharded.Shards {
				errs = append(errs, product.Refused(zonePath.Child("shards").Index(j), shard,
					"must be less than the number of shards, %d: they count from 0", *sharded.Shards)...)
			}
		}
	}
	return errs
}

func zoneRange(zone *benchv1alpha1.ShardingZone, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name string, bound *string) {
		if bound == nil {
			return
		}
		if err := boundary(*bound); err != nil {
			errs = append(errs, product.Refused(path.Child(name), *bound, "%v", err)...)
		}
	}
	check("min", zone.Min)
	check("max", zone.Max)
	if len(errs) == 0 && zone.Min != nil && zone.Max != nil && !ascending(*zone.Min, *zone.Max) {
		errs = append(errs, product.Refused(path.Child("max"), *zone.Max, "must be greater than min, %s", *zone.Min)...)
	}
	return errs
}

// boundary wants a value in Extended JSON, without parameters.
func boundary(text string) error {
	found, err := references(text, anyValue)
	if err == nil && len(found) > 0 {
		return fmt.Errorf("is a value, and no parameter such as %s", found[0].name)
	}
	return err
}

// ascending says whether a value is less than another, as far as plain numbers and texts tell; the load generator knows
// the others.
func ascending(less, greater string) bool {
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
func plain(text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
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
