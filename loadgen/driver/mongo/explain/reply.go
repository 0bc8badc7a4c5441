package explain

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// mostNested bounds how deep a plan is looked into: each operator of a query is a stage or two.
const mostNested = 32

// from stands between a stage and what it takes its input from.
const from = " < "

// stages is the winning plan of a reply to explain in one line.
func stages(reply bson.Raw) string {
	line := strings.ToValidUTF8(replied(reply), "")
	if len(line) <= reportv1.MaxStagesBytes {
		return line
	}
	const left = " …"
	return strings.ToValidUTF8(line[:reportv1.MaxStagesBytes-len(left)], "") + left
}

// replied is the plan of a reply, or of what a shard says in one.
func replied(reply bson.Raw) string {
	if winning, is := reply.Lookup("queryPlanner", "winningPlan").DocumentOK(); is {
		return planned(winning, 0)
	}
	// An aggregation that is not one query alone.
	if pipeline := lookup.Documents(reply, "stages"); len(pipeline) > 0 {
		return pipelined(pipeline)
	}
	// An aggregation behind a mongos.
	shards, _ := reply.Lookup("shards").DocumentOK()
	each, err := shards.Elements()
	if err != nil || len(each) == 0 {
		return ""
	}
	var plans []string
	for _, shard := range each {
		part, _ := shard.Value().DocumentOK()
		plans = append(plans, replied(part))
	}
	return together("SHARDS", plans)
}

// pipelined is the plan of an aggregation: its stages, the last of them first, and then that of its query.
func pipelined(pipeline []bson.Raw) string {
	var parts []string
	for _, stage := range pipeline {
		if cursor, is := stage.Lookup("$cursor").DocumentOK(); is {
			parts = append(parts, replied(cursor))
			continue
		}
		if first, err := stage.IndexErr(0); err == nil {
			parts = append(parts, first.Key())
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, from)
}

// planned is a plan, or a stage with what it takes its input from.
func planned(plan bson.Raw, depth int) string {
	if depth > mostNested {
		return "…"
	}
	// Servers since 5.0 may wrap it.
	if inner, is := plan.Lookup("queryPlan").DocumentOK(); is {
		return planned(inner, depth+1)
	}
	name := lookup.Text(plan, "stage")
	if index := lookup.Text(plan, "indexName"); index != "" {
		name += " " + index
	}
	if shards := lookup.Documents(plan, "shards"); len(shards) > 0 {
		return together(name, each(shards, "winningPlan", depth))
	}
	if inputs := lookup.Documents(plan, "inputStages"); len(inputs) > 0 {
		return together(name, each(inputs, "", depth))
	}
	for _, field := range []string{"inputStage", "outerStage", "innerStage"} {
		if input, is := plan.Lookup(field).DocumentOK(); is {
			return name + from + planned(input, depth+1)
		}
	}
	return name
}

// each are the plans in a field of these documents; without a field they are plans themselves.
func each(documents []bson.Raw, field string, depth int) []string {
	plans := make([]string, 0, len(documents))
	for _, document := range documents {
		if field != "" {
			document, _ = document.Lookup(field).DocumentOK()
		}
		plans = append(plans, planned(document, depth+1))
	}
	return plans
}

// together is a stage that takes its input from several plans. Those that are alike are told once.
func together(name string, plans []string) string {
	all := len(plans)
	slices.Sort(plans)
	switch plans = slices.Compact(plans); {
	case len(plans) > 1:
		return name + from + "(" + strings.Join(plans, " | ") + ")"
	case all > 1:
		return fmt.Sprintf("%s%s%d times %s", name, from, all, plans[0])
	case all == 1:
		return name + from + plans[0]
	default:
		return name
	}
}

// examined is what a plan took that was carried out; nil when the reply does not say.
func examined(reply bson.Raw) *reportv1.Examined {
	if stats, is := reply.Lookup("executionStats").DocumentOK(); is {
		return executed(stats)
	}
	for _, stage := range lookup.Documents(reply, "stages") {
		if stats, is := stage.Lookup("$cursor", "executionStats").DocumentOK(); is {
			return executed(stats)
		}
	}
	shards, _ := reply.Lookup("shards").DocumentOK()
	parts, err := shards.Elements()
	if err != nil || len(parts) == 0 {
		return nil
	}
	var sum reportv1.Examined
	for _, shard := range parts {
		part, _ := shard.Value().DocumentOK()
		one := examined(part)
		if one == nil {
			return nil
		}
		sum.Keys, sum.Documents, sum.Found = sum.Keys+one.Keys, sum.Documents+one.Documents, sum.Found+one.Found
	}
	return &sum
}

// executed reads executionStats; nil of a plan that was not carried out to its end, of which a server may tell as far
// as it came.
func executed(stats bson.Raw) *reportv1.Examined {
	if succeeded, told := stats.Lookup("executionSuccess").BooleanOK(); told && !succeeded {
		return nil
	}
	keys, hasKeys := stats.Lookup("totalKeysExamined").AsInt64OK()
	documents, hasDocuments := stats.Lookup("totalDocsExamined").AsInt64OK()
	if !hasKeys || !hasDocuments {
		return nil
	}
	found := lookup.Number(stats, "nReturned")
	if stage, is := stats.Lookup("executionStages").DocumentOK(); is && found == 0 {
		found = affected(stage, 0)
	}
	return &reportv1.Examined{Keys: keys, Documents: documents, Found: found}
}

// affected are the documents that a stage would have changed or removed, or has counted: such a stage returns none.
// Behind a mongos they are those of all shards.
func affected(stage bson.Raw, depth int) int64 {
	if depth > mostNested {
		return 0
	}
	for _, field := range []string{"nMatched", "nWouldDelete", "nCounted"} {
		if number, is := stage.Lookup(field).AsInt64OK(); is {
			return number
		}
	}
	var sum int64
	for _, shard := range lookup.Documents(stage, "shards") {
		inner, _ := shard.Lookup("executionStages").DocumentOK()
		sum += affected(inner, depth+1)
	}
	if input, is := stage.Lookup("inputStage").DocumentOK(); is {
		sum += affected(input, depth+1)
	}
	return sum
}
