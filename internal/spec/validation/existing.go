package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// validateExisting refuses what would be made of collections that are there already.
func validateExisting(found *product.Findings, dataset *benchv1alpha1.Dataset, path *field.Path) {
	if dataset.Existing == nil {
		return
	}
	const advice = "an existing collection is measured as it is; leave this out"
	for i := range dataset.Collections {
		collection, path := &dataset.Collections[i], path.Index(i)
		found.Forbid(len(collection.Indexes) > 0, path.Child("indexes"), advice)
		found.Forbid(len(collection.SearchIndexes) > 0, path.Child("searchIndexes"), advice)
		found.Forbid(collection.Sharding != nil, path.Child("sharding"), advice)
		found.Forbid(collection.Options != nil, path.Child("options"), advice)
		found.Forbid(collection.Copies != nil, path.Child("copies"), "existing collections are named one by one")
		found.Forbid(collection.View != nil, path.Child("view"), advice+": a view that exists is read by its name")
		found.Forbid(ptr.Deref(collection.DocumentCount, 0) > 0 && len(collection.Fields) == 0, path.Child("documentCount"),
			"of an existing collection it says that documents as fields make them are there; declare the fields, or leave "+
				"this out, and keys are drawn from a sample")
	}
}

// validateExistingRun refuses what a run cannot do to documents that it did not load, or may not.
func validateExistingRun(found *product.Findings, spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	existing := spec.Dataset.Existing
	if existing == nil {
		return
	}
	client := *spec.LoadGenerator.Client
	known := []benchv1alpha1.Client{
		benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
	}
	found.Forbid(!slices.Contains(known, client), path.Child("dataset", "existing"),
		"with client %s a run measures only what it loads; Application, Driver and Wire can do this", client)
	for i := range spec.Workload.Steps {
		check := stepCheck{found, &spec.Workload.Steps[i], spec, path.Child("workload", "steps").Index(i)}
		if *existing.Writes == benchv1alpha1.ExistingWritesForbidden {
			check.onlyReads()
		}
		for j := range spec.Workload.Steps[i].Operations {
			operationCheck{
				Findings: found, operation: &spec.Workload.Steps[i].Operations[j], spec: spec,
				path: check.path.Child("operations").Index(j),
			}.onSample()
		}
	}
}

// onlyReads refuses operations and actions that change documents or indexes.
func (c stepCheck) onlyReads() {
	const advice = "changes data that this run has not loaded, for good; if that is meant, set " +
		"spec.dataset.existing.writes to Allowed"
	for i := range c.step.Operations {
		c.Forbid(operation.Writes(spec.CompileOperation(c.step.Operations[i])), c.path.Child("operations").Index(i),
			"%s "+advice, c.step.Operations[i].Kind)
	}
	replay := ptr.Deref(c.step.Replay, benchv1alpha1.Replay{})
	c.Forbid(ptr.Deref(replay.Writes, "") == benchv1alpha1.ReplayWritesSend, c.path.Child("replay", "writes"),
		"a replay that writes "+advice)
	for i := range c.step.Actions {
		action := planv1.Action{Type: c.step.Actions[i].Type}
		c.Forbid(operation.ChangesDataset(action), c.path.Child("actions").Index(i), "%s "+advice, action.Type)
	}
}

// sampled says whether nothing is known of the documents of a collection, which is there already.
func (c operationCheck) sampled(collection *benchv1alpha1.Collection) bool {
	return c.spec.Dataset.Existing != nil && ptr.Deref(collection.DocumentCount, 0) == 0
}

// onSample refuses what needs the record number of a document, on a collection of which it is not known.
func (c operationCheck) onSample() {
	for _, request := range c.requests() {
		if !operation.Of(request.request.Kind).Replaces() {
			continue
		}
		collection := c.find(request.request.Collection)
		c.Forbid(collection != nil && c.sampled(collection), request.path.Child("kind"),
			"a replacement is made of the record number of a document, which is not known in an existing collection without "+
				"documentCount; use UpdateOne")
	}
}
