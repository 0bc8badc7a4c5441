package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// operationCheck checks one operation of a step.
type operationCheck struct {
	operation *benchv1alpha1.Operation
	spec      *benchv1alpha1.BenchmarkRunSpec
	path      *field.Path
}

func (c operationCheck) run() field.ErrorList {
	errs := c.documents()
	for _, request := range c.requests() {
		errs = append(errs, request.requirements()...)
	}
	errs = append(errs, c.command()...)
	errs = append(errs, c.server()...)
	collection, wrong := c.collection(c.operation.Collection, c.path)
	if collection == nil {
		return append(errs, wrong...)
	}
	errs = append(errs, c.nested(collection)...)
	if c.operation.Kind == benchv1alpha1.OperationTail && !capped(collection) {
		errs = append(errs, field.Invalid(c.path.Child("collection"), collection.Name,
			"a Tail follows a capped collection; set options.capped of this one"))
	}
	for i := range c.operation.Parameters {
		errs = append(errs, c.parameter(i, collection)...)
	}
	return errs
}

// requests are the operation itself and those that it consists of.
func (c operationCheck) requests() []requestCheck {
	checks := make([]requestCheck, 0, 1+len(c.operation.Operations))
	checks = append(checks, requestCheck{&c.operation.Request, c.operation.Parameters, c.path})
	for i := range c.operation.Operations {
		checks = append(checks, requestCheck{
			&c.operation.Operations[i], c.operation.Parameters, c.path.Child("operations").Index(i),
		})
	}
	return checks
}

// documents checks what is written in JSON, and that it and the declared parameters agree.
func (c operationCheck) documents() field.ErrorList {
	var used []string
	var errs field.ErrorList
	for _, request := range c.requests() {
		names, wrong := request.documents(c.operation.Command)
		used, errs = append(used, names...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return errs // A document that could not be read may well use the parameters that seem unused.
	}
	for _, parameter := range c.operation.Parameters {
		used = append(used, ptr.Deref(parameter.SameRecordAs, ""), ptr.Deref(parameter.PlusParameter, ""))
	}
	for i, parameter := range c.operation.Parameters {
		if !slices.Contains(used, parameter.Name) {
			errs = append(errs, field.Invalid(c.path.Child("parameters").Index(i).Child("name"), parameter.Name,
				fmt.Sprintf(`is used nowhere; write {"$param": %q} where its value belongs, or remove it`, parameter.Name)))
		}
	}
	return errs
}

func (c operationCheck) command() field.ErrorList {
	command := c.operation.Command
	if c.operation.Kind != benchv1alpha1.OperationRunCommand || !emptyObject(command) {
		return nil
	}
	return field.ErrorList{field.Invalid(c.path.Child("command"), command, "must begin with the name of a command")}
}

// collection finds the collection that a name means.
func (c operationCheck) collection(name string, path *field.Path) (*benchv1alpha1.Collection, field.ErrorList) {
	names := make([]string, 0, len(c.spec.Dataset.Collections))
	for i := range c.spec.Dataset.Collections {
		known := &c.spec.Dataset.Collections[i]
		if known.Name == name {
			return known, nil
		}
		names = append(names, known.Name)
	}
	return nil, field.ErrorList{field.NotSupported(path.Child("collection"), name, names)}
}

// nested checks the collections of the operations that this one consists of.
func (c operationCheck) nested(whole *benchv1alpha1.Collection) field.ErrorList {
	var errs field.ErrorList
	for i := range c.operation.Operations {
		nested, path := &c.operation.Operations[i], c.path.Child("operations").Index(i)
		collection, wrong := whole, field.ErrorList(nil)
		name := nested.Collection
		if name != whole.Name {
			collection, wrong = c.collection(nested.Collection, path)
		}
		errs = append(errs, wrong...)
		switch {
		case collection != nil && capped(collection) && c.operation.Kind == benchv1alpha1.OperationTransaction &&
			operation.Of(nested.Kind).Effect.Writes():
			errs = append(errs, field.Invalid(path.Child("collection"), name,
				"MongoDB writes to no capped collection in a transaction"))
		case collection == nil || collection == whole:
		case c.operation.Kind == benchv1alpha1.OperationBulkWrite:
			errs = append(errs, field.Invalid(path.Child("collection"), name,
				"a BulkWrite writes to one collection, "+whole.Name))
		case nested.Kind == benchv1alpha1.OperationReplaceOne:
			errs = append(errs, field.Invalid(path.Child("collection"), name, fmt.Sprintf(
				"the parameters of type Key draw records of collection %s, and a replacement is made for such a record",
				whole.Name)))
		}
	}
	return errs
}

func capped(collection *benchv1alpha1.Collection) bool {
	return ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{}).Capped != nil
}

// server checks what the servers, as far as they are known, and the client can do. Of a target that is not inline
// nothing is known here.
func (c operationCheck) server() field.ErrorList {
	errs := c.client()
	target := c.spec.Target
	if target == nil || !catalogue.Of(*target).Traits().Concerns {
		return errs
	}
	if mongod.Engine(*target) == benchv1alpha1.EngineEphemeralForTest {
		errs = append(errs, c.ephemeral(mongod.ParseRelease(ptr.Deref(target.Version, "")))...)
	}
	switch target.Topology {
	case benchv1alpha1.TopologyStandalone:
		errs = append(errs, c.standalone()...)
		errs = append(errs, c.acknowledgements(1, "a Standalone")...)
	case benchv1alpha1.TopologyReplicaSet:
		members := *target.ReplicaSet.Members
		errs = append(errs, c.acknowledgements(int(members), fmt.Sprintf("a ReplicaSet of %d", members))...)
		errs = append(errs, c.snapshot(ptr.Deref(target.Version, ""))...)
	default:
	}
	return errs
}

// client refuses what the wire client cannot do, where no other is allowed.
func (c operationCheck) client() field.ErrorList {
	if *c.spec.LoadGenerator.Client != benchv1alpha1.ClientWire {
		return nil
	}
	const advice = "; set spec.loadGenerator.client to Auto or Driver"
	if !operation.Of(c.operation.Kind).SentBy(operation.Wire) {
		return field.ErrorList{field.Invalid(c.path.Child("kind"), c.operation.Kind,
			"the Wire client does no such operation"+advice)}
	}
	preference := c.operation.ReadPreference
	if preference == "" || preference == benchv1alpha1.ReadPrimary {
		return nil
	}
	return field.ErrorList{field.Invalid(c.path.Child("readPreference"), preference,
		"the Wire client reads from the primary"+advice)}
}

// standalone refuses what only members of a replica set do.
func (c operationCheck) standalone() field.ErrorList {
	const advice = "and spec.target.topology is Standalone; a ReplicaSet may have a single member"
	if operation.Of(c.operation.Kind).ReplicaSet {
		return field.ErrorList{field.Invalid(c.path.Child("kind"), c.operation.Kind, fmt.Sprintf(
			"a %s needs a replica set, %s", c.operation.Kind, advice))}
	}
	switch concern := c.operation.ReadConcern; concern {
	case benchv1alpha1.ReadConcernLinearizable, benchv1alpha1.ReadConcernSnapshot:
		return field.ErrorList{field.Invalid(c.path.Child("readConcern"), concern, "needs a replica set, "+advice)}
	default:
		return nil
	}
}

// ephemeral refuses what the engine EphemeralForTest cannot do. A change stream ends a server of 5.0 or 6.0.
func (c operationCheck) ephemeral(release mongod.Release) field.ErrorList {
	const advice = "with engine EphemeralForTest; use WiredTiger"
	kind, concern := c.operation.Kind, c.operation.ReadConcern
	switch {
	case kind == benchv1alpha1.OperationChangeStream:
		return product.Refused(c.path.Child("kind"), kind, "there are no change streams %s", advice)
	case kind == benchv1alpha1.OperationTransaction && !release.AtLeast(mongod.Release{Major: 5}):
		return product.Refused(c.path.Child("kind"), kind, "before version 5.0 there are no transactions %s", advice)
	case concern == benchv1alpha1.ReadConcernMajority || concern == benchv1alpha1.ReadConcernSnapshot:
		return product.Refused(c.path.Child("readConcern"), concern, "is not there %s", advice)
	}
	return nil
}

// acknowledgements refuses a write concern that so many members cannot satisfy.
func (c operationCheck) acknowledgements(members int, target string) field.ErrorList {
	if c.operation.WriteConcern == nil || c.operation.WriteConcern.W == "majority" {
		return nil
	}
	w, path := c.operation.WriteConcern.W, c.path.Child("writeConcern", "w")
	number, err := strconv.Atoi(w)
	if err != nil {
		return field.ErrorList{field.Invalid(path, w, target+" that is deployed here has no tags; use majority or a number")}
	}
	if number <= members {
		return nil
	}
	return field.ErrorList{field.Invalid(path, w, target+" has fewer members, so that no write would be acknowledged")}
}

// snapshot refuses a snapshot outside of a transaction where the server does not know that.
func (c operationCheck) snapshot(version string) field.ErrorList {
	wanted := c.operation.ReadConcern == benchv1alpha1.ReadConcernSnapshot
	major, _, _ := strings.Cut(version, ".")
	number, err := strconv.Atoi(major)
	if !wanted || c.operation.Kind == benchv1alpha1.OperationTransaction || err != nil || number >= 5 {
		return nil
	}
	return field.ErrorList{field.Invalid(c.path.Child("readConcern"), benchv1alpha1.ReadConcernSnapshot,
		"outside of a Transaction this needs MongoDB 5.0 or later")}
}
