package shards

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// rules say where the documents of each collection lie. They are read-only.
type rules struct {
	shards int
	// byName are those of the plan's collections; byID is that of any other.
	byName map[string]*placement.Rule
	byID   *placement.Rule
	fields map[string][]planv1.Field
}

func newRules(collections []planv1.Collection, shards int) (*rules, error) {
	byID, err := placement.New(planv1.Collection{}, shards)
	if err != nil {
		return nil, err
	}
	r := &rules{
		shards: shards, byName: map[string]*placement.Rule{}, byID: byID, fields: map[string][]planv1.Field{},
	}
	for _, collection := range collections {
		if r.byName[collection.Name], err = placement.New(collection, shards); err != nil {
			return nil, err
		}
		r.fields[collection.Name] = collection.Fields
	}
	return r, nil
}

// of is the rule of a collection.
func (r *rules) of(collection string) *placement.Rule {
	if rule, ok := r.byName[collection]; ok {
		return rule
	}
	return r.byID
}

// stays says whether a field has the same value in every revision of a document.
func (r *rules) stays(collection string, path value.Path) bool {
	name := path.String()
	return name == "_id" || slices.ContainsFunc(r.fields[collection], func(field planv1.Field) bool {
		return field.Name == name && field.PresencePercent == 0 && field.NullPercent == 0 &&
			(field.Type == benchv1alpha1.GeneratorSequence || field.Type == benchv1alpha1.GeneratorSerial)
	})
}

// Check refuses a plan with anything in it that cannot be done by this number of shards without a mongos. It is to be
// asked before anything is written.
func Check(plan planv1.Plan, shards int) error {
	if err := checkShards(shards); err != nil {
		return err
	}
	if err := checkClient(plan.Client); err != nil {
		return err
	}
	for _, collection := range plan.Collections {
		if err := checkCollection(collection); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, err)
		}
	}
	rules, err := newRules(plan.Collections, shards)
	if err != nil {
		return err
	}
	for _, step := range plan.Steps {
		if err := rules.check(step); err != nil {
			return fmt.Errorf("step %q: %w", step.Name, err)
		}
	}
	return nil
}

// Check refuses a plan that this target cannot do.
func (t *Target) Check(plan planv1.Plan) error {
	if err := Check(plan, len(t.shards)); err != nil {
		return err
	}
	for _, step := range plan.Steps {
		if err := t.checkWire(step); err != nil {
			return fmt.Errorf("step %q: %w", step.Name, err)
		}
	}
	return nil
}

// checkCollection refuses a collection whose documents are not found where the load generator looks for them.
func checkCollection(collection planv1.Collection) error {
	switch {
	case collection.View != nil:
		return errors.New("a view of several shards, each of which knows its own documents, needs a mongos")
	case collection.Copies > 0:
		return errors.New("copies: the load generator routes to collections that it knows by name; use a mongos")
	case collection.TimeSeries != nil:
		return errors.New("options.timeSeries: buckets of several shards cannot be told apart by _id; use a mongos")
	case collection.Collation != nil && collection.Collation.Locale != planv1.SimpleLocale:
		return errors.New("options.collation: texts that are equal and differ in their bytes would lie on several shards; " +
			"use a mongos")
	default:
		return nil
	}
}

func checkClient(client benchv1alpha1.Client) error {
	if client != benchv1alpha1.ClientWire && client != "" {
		return fmt.Errorf("the load generator routes by its wire client, and the client is %s; set it to Wire", client)
	}
	return nil
}

// checkWire refuses what only the driver could do.
func (t *Target) checkWire(step planv1.Step) error {
	if step.Session == benchv1alpha1.SessionSnapshot {
		return errors.New("deployments that know nothing of one another have no snapshot in common; use a mongos")
	}
	for shard, target := range t.shards {
		if err := target.NeedsDriver(step); err != nil {
			return of(shard, fmt.Errorf("it cannot be routed to by the wire client: %w; change that, or use a mongos", err))
		}
	}
	return nil
}

// checkAction refuses what only a mongos and config servers can do.
func checkAction(action planv1.Action, shards int) error {
	switch action.Type {
	case benchv1alpha1.ActionStartBalancer, benchv1alpha1.ActionStopBalancer, benchv1alpha1.ActionRefineShardKey,
		benchv1alpha1.ActionReshardCollection, benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection,
		benchv1alpha1.ActionTransitionFromDedicatedConfigServer, benchv1alpha1.ActionTransitionToDedicatedConfigServer,
		benchv1alpha1.ActionAnalyzeShardKey:
		return fmt.Errorf("action %q: %s needs a mongos; remove it, for documents stay where the load generator writes them",
			action.Name, action.Type)
	default:
	}
	if action.Shard < 0 || action.Shard >= shards {
		return fmt.Errorf("action %q: there is no shard %d, the last is %d", action.Name, action.Shard, shards-1)
	}
	return nil
}

// check refuses a step.
func (r *rules) check(step planv1.Step) error {
	for _, action := range step.Actions {
		if err := checkAction(action, r.shards); err != nil {
			return err
		}
	}
	for i := range step.Operations {
		if err := r.checkOperation(&step.Operations[i]); err != nil {
			return fmt.Errorf("operation %q cannot be routed to several shards: %w", step.Operations[i].Name, err)
		}
	}
	return nil
}

func (r *rules) checkOperation(declared *planv1.Operation) error {
	request, err := workload.Example(declared)
	if err != nil {
		return err
	}
	kind := request.Kind
	switch row := kind.Row(); {
	case declared.Collation != nil:
		return errors.New("it has a collation, by which the load generator neither finds the shard of a document nor " +
			"merges what shards answer; leave it out, or use a mongos")
	case row.SentBy(operation.Router) && row.Effect == operation.ByParts:
		return r.checkParts(declared)
	case row.SentBy(operation.Router):
		if check := ways[kind].check; check != nil {
			return check(r, request)
		}
		return nil
	case row.Effect == operation.ByParts:
		return errors.New("a transaction may write to several shards, which only a mongos can commit together; use a mongos")
	case row.Effect == operation.Nothing:
		return fmt.Errorf("a %s goes to one server; use a mongos", kind)
	case row.Effect.Writes():
		return fmt.Errorf("a %s is of MongoDB's driver; use a mongos", kind)
	default:
		return fmt.Errorf("a %s of several shards has no common order without a mongos; use a mongos", kind)
	}
}

// checkParts refuses a BulkWrite of which any part cannot be done.
func (r *rules) checkParts(declared *planv1.Operation) error {
	for i, request := range declared.Operations {
		part := planv1.Operation{Request: request}
		if part.Collection == "" {
			part.Collection = declared.Collection
		}
		if err := r.checkOperation(&part); err != nil {
			return fmt.Errorf("part %d, %s: %w", i, part.Kind, err)
		}
	}
	return nil
}

func (r *rules) checkFind(request *workload.Request) error {
	rule := r.of(request.Collection)
	if rule.Pins(request.Filter) || rule.Shards.Len() == 1 {
		return nil
	}
	order, err := merge.ParseOrder(request.Sort)
	if err != nil || len(request.Projection) == 0 {
		return err
	}
	_, err = order.Project(nil, request.Projection)
	return err
}

func (r *rules) checkPipeline(request *workload.Request) error {
	if err := merge.Alone(request.Pipeline); err != nil {
		return err
	}
	rule := r.of(request.Collection)
	if rule.Pins(merge.Filter(request.Pipeline)) || rule.Shards.Len() == 1 {
		return nil
	}
	_, err := merge.Split(request.Pipeline)
	return err
}

// everywhere are the commands that all shards are sent, since their answers need not be made one.
const everywhere = "ping, hello, isMaster, buildInfo, hostInfo, serverStatus, connectionStatus, dbStats, collStats"

func (*rules) checkCommand(request *workload.Request) error {
	command, _, _ := value.First(request.Command)
	if slices.Contains(strings.Split(everywhere, ", "), string(command)) {
		return nil
	}
	return fmt.Errorf("the answers of several shards to the command %q cannot be made one; these can be sent to all: %s",
		command, everywhere)
}

// scattering is when a write can go to all shards. What may insert a document never does, for it has to know where.
type scattering uint8

const (
	never scattering = iota
	// byID is when there is one document, on whichever shard it is.
	byID
	always
)

// checkWrite refuses a write that does not say which shard it is for, as mongos before 7.0 does, and one that would
// change what a document's place depends on.
func checkWrite(to scattering) func(*rules, *workload.Request) error {
	return func(r *rules, request *workload.Request) error {
		rule := r.of(request.Collection)
		scatters := !request.Upsert && (to == always || to == byID && r.byID.Pins(request.Filter))
		if !scatters && !rule.Pins(request.Filter) && rule.Shards.Len() > 1 {
			return fmt.Errorf("its filter has no value of %q, which says on which shard a document lies; add it, "+
				"such as {%q: ...}", rule.Field, rule.Field)
		}
		if request.Kind.Row().Replaces() {
			return r.checkReplacement(request)
		}
		return checkChanges(request, rule)
	}
}

// checkReplacement refuses replacements that come with another shard key.
func (r *rules) checkReplacement(request *workload.Request) error {
	for _, path := range r.of(request.Collection).Key {
		if !r.stays(request.Collection, path) {
			return fmt.Errorf("a replacement has another value of %q, which is in the shard key; use UpdateOne, or a shard "+
				"key of type Sequence or Serial", path)
		}
	}
	return nil
}

// checkChanges refuses an update that touches the shard key.
func checkChanges(request *workload.Request, rule *placement.Rule) error {
	for operator, argument := range value.All(request.Update) {
		var err error
		if request.UpdateIsPipeline {
			err = checkStage(argument.Data, rule)
		} else {
			err = checkOperator(string(operator), argument, rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkOperator(operator string, argument bsoncore.Value, rule *placement.Rule) error {
	for name, v := range value.All(argument.Data) {
		if err := checkName(string(name), rule); err != nil {
			return err
		}
		if target, ok := v.StringValueOK(); ok && operator == "$rename" {
			if err := checkName(target, rule); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStage looks at one stage of an update with a pipeline.
func checkStage(stage bson.Raw, rule *placement.Rule) error {
	name, argument, _ := value.First(stage)
	switch string(name) {
	case "$set", "$addFields":
		return checkOperator(string(name), argument, rule)
	case "$unset":
		for _, field := range value.Texts(argument) {
			if err := checkName(field, rule); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("stage %s of the update may change the shard key; use $set and $unset", name)
	}
}

func checkName(name string, rule *placement.Rule) error {
	for _, path := range rule.Key {
		if path.Overlaps(value.ParsePath(name)) {
			return fmt.Errorf("it updates %q, which is in the shard key: the document would have to move to another shard; "+
				"update other fields", name)
		}
	}
	return nil
}

// errMoved is about a replacement that does not belong where the filter says.
var errMoved = errors.New("the replacement has a shard key of another shard than its filter; let both be of one record")
