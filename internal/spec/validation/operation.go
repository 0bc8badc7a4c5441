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
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// operationCheck checks one operation of a step.
type operationCheck struct {
	*product.Findings
	operation *benchv1alpha1.Operation
	spec      *benchv1alpha1.BenchmarkRunSpec
	path      *field.Path
	scope     flowScope
}

func (c operationCheck) run() {
	c.documents()
	for _, request := range c.requests() {
		request.requirements()
	}
	c.Forbid(c.operation.Record != nil, c.path.Child("record"), "it is of the document that a {$key: field} draws, and "+
		"none does here; a declared parameter of type Key has distribution and key.rangePercent of its own")
	c.Forbid(c.operation.ConnectUntil != "" && !operation.Of(c.operation.Kind).Takes(operation.ConnectUntil),
		c.path.Child("connectUntil"), "%s", takenBy(operation.ConnectUntil))
	c.Forbid(c.operation.ReadTags != nil && !operation.Of(c.operation.Kind).Takes(operation.ReadTags),
		c.path.Child("readTags"), "%s", takenBy(operation.ReadTags))
	c.recall()
	c.ofCommand()
	c.server()
	collection := c.collection(c.operation.Collection, c.path)
	if collection == nil {
		return
	}
	c.nested(collection)
	c.Refuse(c.operation.PartOf != "" && collection.Copies != nil, c.path.Child("collection"), collection.Name,
		"stands for copies, which a part of a flow cannot be about")
	uncapped := !capped(collection) && c.spec.Dataset.Existing == nil // Of an existing one it is not known.
	c.Refuse(c.operation.Kind == benchv1alpha1.OperationTail && uncapped, c.path.Child("collection"),
		collection.Name, "a Tail follows a capped collection; set options.capped of this one")
	c.onCollection(c.operation.Kind, collection, c.path)
	if source := sourceOf(&c.spec.Dataset, collection); source != nil {
		for i := range c.operation.Parameters {
			c.parameter(i, source)
		}
	}
}

// requests are the operation itself and those that it consists of.
func (c operationCheck) requests() []requestCheck {
	checks := make([]requestCheck, 0, 1+len(c.operation.Operations))
	parameters := c.scope.parameters(c.operation)
	checks = append(checks, requestCheck{c.Findings, &c.operation.Request, parameters, c.path, c.scope.names})
	for i := range c.operation.Operations {
		checks = append(checks, requestCheck{
			c.Findings, &c.operation.Operations[i], parameters, c.path.Child("operations").Index(i), c.scope.names,
		})
	}
	return checks
}

// documents checks what is written as documents, and that it and the declared parameters agree.
func (c operationCheck) documents() {
	before := len(c.ErrorList)
	var used []string
	for i, request := range c.requests() {
		used = append(used, request.used()...)
		documents := request.documents()
		if i == 0 {
			documents = append(documents, written{operation.Command, c.operation.Command, object, maxDocument})
			if c.operation.Recall != nil && operation.Of(c.operation.Kind).Takes(operation.Recall) {
				documents = append(documents, written{exact, c.operation.Recall.Exact, stages, maxPipeline})
			}
		}
		for _, one := range documents {
			used = append(used, request.document(one)...)
		}
	}
	if len(c.ErrorList) > before {
		return // A document that could not be read may well use the parameters that seem unused.
	}
	for _, parameter := range c.operation.Parameters {
		used = append(used, ptr.Deref(parameter.SameRecordAs, ""), ptr.Deref(parameter.PlusParameter, ""))
	}
	if c.scope.whole == c.operation {
		used = append(used, c.scope.used...)
	}
	for i, parameter := range c.operation.Parameters {
		c.Refuse(!slices.Contains(used, parameter.Name), c.path.Child("parameters").Index(i).Child("name"), parameter.Name,
			`is used nowhere; write {$param: %s} where its value belongs, or remove it`, parameter.Name)
	}
}

// collection finds the collection that a name means, and refuses a name of none.
func (c operationCheck) collection(name string, path *field.Path) *benchv1alpha1.Collection {
	known := c.find(name)
	if known == nil {
		c.Add(noCollection(name, c.spec.Dataset, path))
	}
	return known
}

// find is the collection that a name means; nil for none.
func (c operationCheck) find(name string) *benchv1alpha1.Collection {
	for i := range c.spec.Dataset.Collections {
		if known := &c.spec.Dataset.Collections[i]; known.Name == name {
			return known
		}
	}
	return nil
}

// noCollection says of a name that it is none of a collection, or of none that one is needed.
func noCollection(name string, dataset benchv1alpha1.Dataset, path *field.Path) *field.Error {
	names := make([]string, 0, len(dataset.Collections))
	for i := range dataset.Collections {
		names = append(names, dataset.Collections[i].Name)
	}
	if name == "" {
		return field.Required(path.Child("collection"),
			"the dataset has several collections: name one of "+strings.Join(names, ", "))
	}
	return field.NotSupported(path.Child("collection"), name, names)
}

// nested checks the collections of the operations that this one consists of.
func (c operationCheck) nested(whole *benchv1alpha1.Collection) {
	several := false
	for i := range c.operation.Operations {
		nested, path := &c.operation.Operations[i], c.path.Child("operations").Index(i)
		collection, name := whole, nested.Collection
		if name != whole.Name {
			collection = c.collection(name, path)
		}
		if collection == nil {
			continue
		}
		c.onCollection(nested.Kind, collection, path)
		path = path.Child("collection")
		c.Refuse(capped(collection) && c.operation.Kind == benchv1alpha1.OperationTransaction &&
			operation.Of(nested.Kind).Effect.Writes(), path, name, "MongoDB writes to no capped collection in a transaction")
		if collection != whole {
			several = true
			c.elsewhere(nested, whole, path)
		}
	}
	concern := ptr.Deref(c.operation.WriteConcern, benchv1alpha1.WriteConcern{})
	c.Refuse(several && c.operation.Kind == benchv1alpha1.OperationBulkWrite && concern.W == "0",
		c.path.Child("writeConcern", "w"), concern.W, "a BulkWrite to several collections has to be acknowledged")
}

// elsewhere refuses a part that cannot go to another collection than the whole.
func (c operationCheck) elsewhere(
	nested *benchv1alpha1.Request, whole *benchv1alpha1.Collection, path *field.Path,
) {
	c.Refuse(c.operation.Kind == benchv1alpha1.OperationBulkWrite &&
		*c.spec.LoadGenerator.Client != benchv1alpha1.ClientApplication, path, nested.Collection,
		"a BulkWrite of this client writes to one collection, %s; name that, or set spec.loadGenerator.client to Application",
		whole.Name)
	c.Refuse(operation.Of(nested.Kind).Replaces(), path, nested.Collection,
		"the parameters of type Key draw records of collection %s, and a replacement is made for such a record", whole.Name)
}

// recall refuses to compare the answers of what has none, or has them while others are measured.
func (c operationCheck) recall() {
	if c.operation.Recall == nil {
		return
	}
	path := c.path.Child("recall")
	if !operation.Of(c.operation.Kind).Takes(operation.Recall) {
		c.Forbid(true, path, "%s", takenBy(operation.Recall))
		return
	}
	c.Forbid(c.operation.PartOf != "", path, "a part of a flow is not sent again by itself, as it would have to be")
	c.Forbid(c.spec.Duet != nil, path, "the other side of a duet may be measured meanwhile; compare in a run of its own")
	if c.operation.Recall.Exact == "" {
		c.Add(field.Required(path.Child("exact"), "is the pipeline that answers exactly"))
		return
	}
	planned := spec.CompileOperation(*c.operation)
	c.Forbid(operation.Writes(planned), path, "an Aggregate that writes has no answers to compare")
	planned.Pipeline = planned.Recall.Exact
	c.Refuse(operation.Writes(planned), path.Child("exact"), planned.Pipeline.Text(), "must not write")
}

// ofCommand refuses at the parts of a BulkWrite what belongs to the command that they share.
func (c operationCheck) ofCommand() {
	if c.operation.Kind != benchv1alpha1.OperationBulkWrite {
		return
	}
	const advice = "the parts of a BulkWrite share a command; set it of the BulkWrite"
	for i := range c.operation.Operations {
		part, path := &c.operation.Operations[i], c.path.Child("operations").Index(i)
		c.Forbid(part.Let != "", path.Child("let"), advice)
		c.Forbid(part.MaxTimeMillis != 0, path.Child("maxTimeMillis"), advice)
		c.Forbid(part.Comment != "", path.Child("comment"), advice)
	}
}

// later refuses what servers of the version do not know yet.
func (c operationCheck) later(version string) {
	planned := spec.CompileOperation(*c.operation)
	for later := range operation.LaterIn(&planned) {
		path := c.path
		if later.Part >= 0 {
			path = path.Child("operations").Index(later.Part)
		}
		c.Forbid(!mongod.ParseRelease(version).AtLeast(mongod.ParseRelease(later.Version)),
			path.Child(string(later.Setting)), "of a %s needs MongoDB %s or later, and the target is of version %s",
			later.Of, later.Version, version)
	}
}

func capped(collection *benchv1alpha1.Collection) bool {
	return ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{}).Capped != nil
}

// server checks what the servers, as far as they are known, and the client can do. Of a target that is not inline
// nothing is known here.
func (c operationCheck) server() {
	c.client()
	target := c.spec.Target
	if target == nil || !catalogue.Of(*target).Traits().Concerns {
		return
	}
	if target.Topology() != benchv1alpha1.TopologyExternal {
		c.search()
	}
	version := target.Version()
	c.later(version)
	if mongod.Engine(*target) == benchv1alpha1.EngineEphemeralForTest {
		c.ephemeral(mongod.ParseRelease(version))
	}
	switch target.Topology() {
	case benchv1alpha1.TopologyStandalone:
		c.standalone()
		c.acknowledgements(1, "a standalone")
	case benchv1alpha1.TopologyReplicaSet:
		members := *target.MongoDB.ReplicaSet.Members
		c.acknowledgements(int(members), fmt.Sprintf("a replica set of %d", members))
		c.tagged(target.MongoDB.ReplicaSet.MemberSettings)
		c.snapshot(version)
	default:
	}
}

// client refuses what the client cannot do.
func (c operationCheck) client() {
	switch *c.spec.LoadGenerator.Client {
	case benchv1alpha1.ClientApplication:
		c.application()
	case benchv1alpha1.ClientWire:
		c.wire()
	default:
	}
}

// application refuses what the methods of MongoDB's driver cannot be told.
func (c operationCheck) application() {
	concern := ptr.Deref(c.operation.WriteConcern, benchv1alpha1.WriteConcern{})
	c.Refuse(concern.TimeoutMillis > 0, c.path.Child("writeConcern", "timeoutMillis"), concern.TimeoutMillis,
		"MongoDB's driver sends no wtimeout; leave it out, or set spec.loadGenerator.client to Driver or Wire")
}

// wire refuses what the wire client cannot do.
func (c operationCheck) wire() {
	const advice = "; set spec.loadGenerator.client to Application or Driver"
	known, preference := operation.Of(c.operation.Kind).SentBy(operation.Wire), c.operation.ReadPreference
	c.Refuse(!known, c.path.Child("kind"), c.operation.Kind, "the Wire client does no such operation"+advice)
	c.Refuse(known && preference != "" && preference != benchv1alpha1.ReadPrimary, c.path.Child("readPreference"),
		preference, "the Wire client reads from the primary"+advice)
}

// standalone refuses what only members of a replica set do.
func (c operationCheck) standalone() {
	const advice = "and the target is a standalone; set spec.target.mongodb.replicaSet, which may have a single member"
	member, concern := operation.Of(c.operation.Kind).ReplicaSet, c.operation.ReadConcern
	c.Refuse(member, c.path.Child("kind"), c.operation.Kind, "a %s needs a replica set, %s", c.operation.Kind, advice)
	c.Refuse(!member &&
		(concern == benchv1alpha1.ReadConcernLinearizable || concern == benchv1alpha1.ReadConcernSnapshot),
		c.path.Child("readConcern"), concern, "needs a replica set, %s", advice)
}

// ephemeral refuses what the engine EphemeralForTest cannot do. A change stream ends a server of 5.0 or 6.0.
func (c operationCheck) ephemeral(release mongod.Release) {
	const advice = "with engine EphemeralForTest; use WiredTiger"
	kind, concern := c.operation.Kind, c.operation.ReadConcern
	switch {
	case kind == benchv1alpha1.OperationChangeStream || kind == benchv1alpha1.OperationInsertThenWatch:
		c.Refuse(true, c.path.Child("kind"), kind, "there are no change streams %s", advice)
	case kind == benchv1alpha1.OperationTransaction && !release.AtLeast(mongod.Release{Major: 5}):
		c.Refuse(true, c.path.Child("kind"), kind, "before version 5.0 there are no transactions %s", advice)
	case concern == benchv1alpha1.ReadConcernMajority || concern == benchv1alpha1.ReadConcernSnapshot:
		c.Refuse(true, c.path.Child("readConcern"), concern, "is not there %s", advice)
	}
}

// acknowledgements refuses a write concern that this number of members cannot satisfy.
func (c operationCheck) acknowledgements(members int, target string) {
	if c.operation.WriteConcern == nil || c.operation.WriteConcern.W == "majority" {
		return
	}
	w, path := c.operation.WriteConcern.W, c.path.Child("writeConcern", "w")
	number, err := strconv.Atoi(w)
	c.Refuse(err != nil, path, w, "%s that is deployed here has no write concerns of its own; use majority or a number",
		target)
	c.Refuse(err == nil && number > members, path, w,
		"%s has fewer members, so that no write would be acknowledged; lower w, or deploy more members", target)
}

// tagged refuses to read from members with tags that no member has.
func (c operationCheck) tagged(members []benchv1alpha1.MemberSettings) {
	wanted := c.operation.ReadTags
	found := slices.ContainsFunc(members, func(m benchv1alpha1.MemberSettings) bool {
		lacks := func(tag benchv1alpha1.MemberTag) bool { return !slices.Contains(m.Tags, tag) }
		return *m.Visibility == benchv1alpha1.MemberVisible && !slices.ContainsFunc(wanted, lacks)
	})
	c.Forbid(len(wanted) > 0 && !found, c.path.Child("readTags"),
		"no member that clients see has these tags; give them to one in spec.target.mongodb.replicaSet.memberSettings")
}

// snapshot refuses a snapshot outside of a transaction where the server does not know that.
func (c operationCheck) snapshot(version string) {
	major, _, _ := strings.Cut(version, ".")
	number, err := strconv.Atoi(major)
	c.Refuse(c.operation.ReadConcern == benchv1alpha1.ReadConcernSnapshot &&
		c.operation.Kind != benchv1alpha1.OperationTransaction && err == nil && number < 5,
		c.path.Child("readConcern"), benchv1alpha1.ReadConcernSnapshot,
		"outside of a Transaction this needs MongoDB 5.0 or later")
}
