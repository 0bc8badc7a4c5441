package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// actionIndex checks the index that an action builds or drops.
func (c stepCheck) actionIndex(action *benchv1alpha1.Action, path *field.Path) {
	if action.Type != benchv1alpha1.ActionCreateIndex && action.Type != benchv1alpha1.ActionDropIndex {
		return
	}
	at := slices.IndexFunc(c.spec.Dataset.Collections, func(collection benchv1alpha1.Collection) bool {
		return collection.Name == *action.Collection
	})
	if at < 0 {
		return // actionCollection has said so.
	}
	const again = "the step is measured several times, and the index would be there, or gone, from the first time on; " +
		"declare steps one by one"
	c.Forbid(len(spec.Sweep(*c.step)) > 0 || c.spec.Workload.Growth != nil, path.Child("type"), again)
	collection := &c.spec.Dataset.Collections[at]
	c.Refuse(collection.View != nil, path.Child("collection"), *action.Collection, "a view has no indexes")
	if action.Type == benchv1alpha1.ActionCreateIndex {
		c.createIndex(action, collection, path.Child("index"))
		return
	}
	name := ptr.Deref(action.IndexName, "")
	known := declares(collection, name) || c.indexActions(benchv1alpha1.ActionCreateIndex, collection.Name, name)
	c.Refuse(!known, path.Child("indexName"), name,
		"is neither one of the indexes of collection %s, nor built by an action", collection.Name)
}

func (c stepCheck) createIndex(
	action *benchv1alpha1.Action, collection *benchv1alpha1.Collection, path *field.Path,
) {
	if action.Index == nil {
		return // The schema wants one.
	}
	indexCheck{c.Findings, collection, action.Index, path}.run()
	name := indexName(action.Index)
	there := declares(collection, name) &&
		!c.indexActions(benchv1alpha1.ActionDropIndex, collection.Name, name)
	c.Refuse(there, path.Child("name"), name,
		"collection %s has this index from the start; leave it out there, or drop it by an action before", collection.Name)
}

// declares says whether a collection has an index of this name from the start.
func declares(collection *benchv1alpha1.Collection, name string) bool {
	return slices.ContainsFunc(collection.Indexes, func(index benchv1alpha1.Index) bool {
		return indexName(&index) == name
	})
}

// indexActions says whether any action of the workload builds, or drops, an index of this name.
func (c stepCheck) indexActions(kind benchv1alpha1.ActionType, collection, name string) bool {
	for _, step := range c.spec.Workload.Steps {
		for _, action := range step.Actions {
			if action.Type != kind || *action.Collection != collection {
				continue
			}
			if action.Index != nil && indexName(action.Index) == name || ptr.Deref(action.IndexName, "") == name {
				return true
			}
		}
	}
	return false
}

// indexByVersion refuses an index that the version does not know. Of an existing database the load generator finds out.
func (c actionOnTarget) indexByVersion() {
	version := c.target.Version()
	if version == "" || c.action.Index == nil {
		return
	}
	release := mongod.ParseRelease(version)
	for _, feature := range release.LacksIndex(spec.CompileIndex(*c.action.Index)) {
		c.Forbid(true, c.path.Child("index", feature.Field), "%s", feature.Missing(release))
	}
}
