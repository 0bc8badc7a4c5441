package merge

import (
	"errors"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// Plan says what the shards are asked, and how their answers become one.
type Plan struct {
	// Pipeline is what every shard is asked, an array.
	Pipeline bson.Raw
	// Order that the shards' documents come in and are merged in; empty for any. Range is what is wanted of them.
	Order Order
	Range Range
	// Group puts partial groups together, and After is done with the whole ones; nil where documents are merged.
	Group *Group
	After []Step
}

// splitter goes through a pipeline.
type splitter struct {
	plan   Plan
	stages int
	// cut is set behind a $skip or $limit: as many documents have to come as the shards were asked for.
	cut bool
}

// Split says how a pipeline is done by several shards.
func Split(pipeline bson.Raw) (*Plan, error) {
	s := &splitter{plan: Plan{Range: Range{Limit: -1}}}
	start, array := bsoncore.AppendDocumentStart(nil)
	s.plan.Pipeline = array
	number := 0
	for _, stage := range value.All(pipeline) {
		name, argument, ok := value.First(stage.Data)
		if !ok {
			return nil, fmt.Errorf("stage %d of the pipeline is empty", number)
		}
		if err := s.stage(string(name), argument); err != nil {
			return nil, fmt.Errorf("stage %d of the pipeline, %s: %w", number, name, err)
		}
		number++
	}
	s.plan.Pipeline = end(s.plan.Pipeline, start)
	return &s.plan, nil
}

// stage takes the next stage.
func (s *splitter) stage(name string, argument bsoncore.Value) error {
	if err := refused(name); err != nil {
		return err
	}
	if s.plan.Group != nil {
		return s.after(name, argument)
	}
	switch name {
	case "$sort":
		return s.sort(argument)
	case "$skip", "$limit":
		return s.count(name, argument)
	case "$group", "$sortByCount", "$count":
		if s.cut {
			return errBehindCut
		}
		return s.group(name, argument)
	default:
		return s.document(name, argument)
	}
}

// add gives the shards a stage.
func (s *splitter) add(name string, argument bsoncore.Value) {
	s.plan.Pipeline = append(s.plan.Pipeline, byte(bsoncore.TypeEmbeddedDocument))
	start, dst := bsoncore.AppendDocumentStart(append(strconv.AppendInt(s.plan.Pipeline, int64(s.stages), 10), 0))
	s.plan.Pipeline = end(appendElement(dst, name, argument), start)
	s.stages++
}

func (s *splitter) sort(argument bsoncore.Value) error {
	if s.cut {
		return errBehindCut
	}
	order, err := ParseOrder(argument.Data)
	if err != nil {
		return err
	}
	s.plan.Order = order
	s.add("$sort", argument)
	return nil
}

// count takes a $skip or $limit: the shards are only limited, by both together.
func (s *splitter) count(name string, argument bsoncore.Value) error {
	s.cut = true
	if err := s.plan.Range.cut(name, argument); err != nil || name == "$skip" {
		return err
	}
	limit := bsoncore.AppendInt64(nil, max(s.plan.Range.Asked(), 1))
	s.add("$limit", bsoncore.Value{Type: bsoncore.TypeInt64, Data: limit})
	return nil
}

// document takes a stage that looks at one document at a time. What is sorted by must stay, and behind a $skip or
// $limit every document.
func (s *splitter) document(name string, argument bsoncore.Value) error {
	if s.cut && (name == "$match" || name == "$unwind" || name == "$redact") {
		return errBehindCut
	}
	if len(s.plan.Order) > 0 {
		var err error
		if argument, err = s.keep(name, argument); err != nil {
			return err
		}
	}
	s.add(name, argument)
	return nil
}

// keep makes sure that a stage behind a $sort leaves what is sorted by as it is.
func (s *splitter) keep(name string, argument bsoncore.Value) (bsoncore.Value, error) {
	var touched []string
	switch name {
	case "$match":
	case "$project":
		projection, err := s.plan.Order.Project(nil, argument.Data)
		return bsoncore.Value{Type: argument.Type, Data: projection}, err
	case "$addFields", "$set":
		for name := range value.All(argument.Data) {
			touched = append(touched, string(name))
		}
	case "$unset":
		touched = value.Texts(argument)
	case "$unwind":
		touched = unwound(argument)
	default:
		return argument, errSorted
	}
	for _, name := range touched {
		if s.plan.Order.Overlaps(value.ParsePath(name)) {
			return argument, fmt.Errorf("it changes %q, which is sorted by and by which several shards are merged; "+
				"put it before the $sort", name)
		}
	}
	return argument, nil
}

// unwound are the fields that an $unwind changes.
func unwound(argument bsoncore.Value) []string {
	if argument.Type == bsoncore.TypeEmbeddedDocument {
		index, _ := value.Field(argument.Data, "includeArrayIndex")
		argument, _ = value.Field(argument.Data, "path")
		if name, ok := index.StringValueOK(); ok {
			return append(unwound(argument), name)
		}
	}
	path, _ := argument.StringValueOK()
	if path == "" {
		return nil
	}
	return []string{path[1:]}
}

// What is wrong with a stage.
var (
	errElsewhere = errors.New("it reads or writes a collection whose documents lie on other shards too; " +
		"measure it with a mongos, or on a target without shards")
	errWhole = errors.New("it needs all documents in one place, and several shards cannot be merged behind it; " +
		"measure it with a mongos, or give the first $match a value of the shard key, so that one shard answers")
	errBehindCut = errors.New("it comes behind a $skip or $limit, which only all shards together can do; " +
		"put it before them")
	errSorted = errors.New("it may change what is sorted by, by which several shards are merged; put it before the $sort")
)

// elsewhere are stages that no shard can do by itself, whatever documents they begin with.
var elsewhere = map[string]bool{
	"$lookup": true, "$graphLookup": true, "$unionWith": true, "$out": true, "$merge": true, "$facet": true,
}

// merged are the stages that several shards can be merged behind.
var merged = map[string]bool{
	"$match": true, "$project": true, "$addFields": true, "$set": true, "$unset": true, "$unwind": true, "$redact": true,
	"$replaceRoot": true, "$replaceWith": true, "$sort": true, "$skip": true, "$limit": true, "$group": true,
	"$sortByCount": true, "$count": true,
}

func refused(stage string) error {
	switch {
	case elsewhere[stage]:
		return errElsewhere
	case !merged[stage]:
		return errWhole
	default:
		return nil
	}
}

// Alone says whether one shard can do a pipeline by itself, when all documents that it begins with lie there.
func Alone(pipeline bson.Raw) error {
	number := 0
	for _, stage := range value.All(pipeline) {
		for name := range value.All(stage.Data) {
			if elsewhere[string(name)] {
				return fmt.Errorf("stage %d of the pipeline, %s: %w", number, name, errElsewhere)
			}
		}
		number++
	}
	return nil
}

// Filter is what a pipeline begins with: that of its first $match, or one that selects everything.
func Filter(pipeline bson.Raw) bson.Raw {
	_, stage, _ := value.First(pipeline)
	filter, ok := value.Field(stage.Data, "$match")
	if !ok || filter.Type != bsoncore.TypeEmbeddedDocument {
		return nil
	}
	return bson.Raw(filter.Data)
}
