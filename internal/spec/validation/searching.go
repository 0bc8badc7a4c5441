package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// definition is what a search index is of.
const definition = operation.Setting("definition")

func validateSearchIndexes(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	for i, index := range collection.SearchIndexes {
		path := path.Index(i)
		found.Refuse(slices.ContainsFunc(collection.SearchIndexes[:i], func(o benchv1alpha1.SearchIndex) bool {
			return o.Name == index.Name
		}), path.Child("name"), index.Name, "is the name of another one")
		if index.Definition == "" {
			found.Add(field.Required(path.Child("definition"), "says which fields are indexed, and how"))
			continue
		}
		validateWritten(found, written{definition, index.Definition, object, maxDocument}, path)
	}
}

// withoutSearch is why a target that is deployed here has no search.
const withoutSearch = "needs MongoDB Search, a process beside the servers that the operator does not deploy; name an " +
	"existing target that has it (spec.target.external)"

// validateSearchTarget refuses search indexes on a target that is deployed here.
func validateSearchTarget(found *product.Findings, run *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	if run.Target == nil || run.Target.Topology() == benchv1alpha1.TopologyExternal {
		return
	}
	for i := range run.Dataset.Collections {
		found.Forbid(len(run.Dataset.Collections[i].SearchIndexes) > 0,
			path.Child("collections").Index(i).Child("searchIndexes"), withoutSearch)
	}
}

// searchStages are those that MongoDB Search carries out.
var searchStages = []string{"$search", "$searchMeta", "$vectorSearch"}

// search refuses the stages of MongoDB Search on a target that is deployed here.
func (c operationCheck) search() {
	c.searchIn(c.operation.Pipeline, c.path.Child("pipeline"))
	if recall := c.operation.Recall; recall != nil {
		c.searchIn(recall.Exact, c.path.Child("recall", "exact"))
	}
}

func (c operationCheck) searchIn(pipeline benchv1alpha1.Document, path *field.Path) {
	value, err := document.Read(pipeline)
	if pipeline == "" || err != nil {
		return // Of one that cannot be read another error tells.
	}
	for i, stage := range value.Items() {
		for _, member := range stage.Members() {
			c.Forbid(slices.Contains(searchStages, member.Key), path.Index(i).Child(member.Key), withoutSearch)
		}
	}
}
