package shards

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

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
		if !scatters && !rule.Pins(request.Filter) && rule.Shards().Len() > 1 {
			return fmt.Errorf("its filter has no value of %q, which says on which shard a document lies; add it, "+
				"such as {%q: ...}", rule.Field(), rule.Field())
		}
		if request.Kind == operation.ReplaceOne {
			return r.checkReplacement(request)
		}
		return checkChanges(request, rule)
	}
}

// checkReplacement refuses replacements that come with another shard key.
func (r *rules) checkReplacement(request *workload.Request) error {
	for _, path := range r.of(request.Collection).Key() {
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
	for _, path := range rule.Key() {
		if path.Overlaps(value.ParsePath(name)) {
			return fmt.Errorf("it updates %q, which is in the shard key: the document would have to move to another shard; "+
				"update other fields", name)
		}
	}
	return nil
}

// errMoved is about a replacement that does not belong where the filter says.
var errMoved = errors.New("the replacement has a shard key of another shard than its filter; let both be of one record")
