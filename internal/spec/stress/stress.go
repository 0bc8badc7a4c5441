package stress

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// Name of the run and of its step.
	Name = "stress"
	// Database that everything happens in unless another is named: one that no application has.
	Database = "mongobench_stress"
	// Collection that is loaded and measured.
	Collection = "documents"
)

// What a line leaves out. The window is the shortest of which it can be said whether the throughput was steady.
const (
	DefaultThreads       = 16
	DefaultDuration      = 30 * time.Second
	DefaultWarmUp        = 5 * time.Second
	DefaultRecords       = 100_000
	DefaultFields        = 10
	DefaultDocumentBytes = 1_000
)

// DefaultShares are those of a line that names none: what most applications ask of a database most of the time.
var DefaultShares = Shares{Reads: 70, Updates: 20, Inserts: 10}

// DefaultExistingShares are those of a line that names none and reads what is there.
var DefaultExistingShares = Shares{Reads: 100}

// Shares are the weights of the operations in the mix; 0 leaves one out.
type Shares struct {
	Inserts, Reads, Updates, Deletes, Scans, Aggregations int32
}

// Load is what a line asks for.
type Load struct {
	Shares Shares
	// Threads are how many operations are under way at a time, at most.
	Threads int32
	// Rate of an open loop in operations per second; 0: each thread sends its next operation after the reply.
	Rate int64
	// Duration of the measure window, and WarmUp before it, in whole seconds.
	Duration, WarmUp time.Duration
	// Records that are loaded before.
	Records int64
	// Fields of a document besides _id and category, and DocumentBytes that it has in BSON.
	Fields        int32
	DocumentBytes int32
	Database      string
	// Existing is a collection of Database that is read as it is; empty: one is made and loaded. Records, Fields and
	// DocumentBytes mean nothing then, and all shares but Reads and Scans have to be 0.
	Existing string
}

// errReadsOnly: an update would have to know the fields of documents that others made, and a delete is for good.
var errReadsOnly = errors.New("of a collection that exists already a line only reads and scans: give no other share")

// Run is the object that does in a cluster what the line does by hand. Its target is that of a connection string, to
// be found in a Secret. An error is what the object could not say; what it says wrongly its validation tells.
func (l Load) Run() (*benchv1alpha1.BenchmarkRun, error) {
	length, err := l.fieldBytes()
	if err != nil {
		return nil, err
	}
	dataset, err := l.dataset(length)
	if err != nil {
		return nil, err
	}
	duration, err := seconds("duration", l.Duration)
	if err != nil {
		return nil, err
	}
	warmUp, err := seconds("warm-up", l.WarmUp)
	if err != nil {
		return nil, err
	}
	step := benchv1alpha1.Step{
		Name: Name, Threads: &l.Threads, DurationSeconds: &duration, WarmupSeconds: &warmUp,
		Operations: l.operations(length),
	}
	if l.Rate != 0 {
		step.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: &l.Rate}
	}
	return &benchv1alpha1.BenchmarkRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: benchv1alpha1.GroupVersion.String(), Kind: "BenchmarkRun"},
		ObjectMeta: metav1.ObjectMeta{Name: Name},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			Target: &benchv1alpha1.BenchmarkTargetSpec{External: &benchv1alpha1.ExternalTarget{
				URISecretRef: benchv1alpha1.SecretKeyReference{Name: Name, Key: "uri"},
			}},
			Dataset:  dataset,
			Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{step}},
		},
	}, nil
}

// dataset is what is loaded, or what is there.
func (l Load) dataset(length int32) (benchv1alpha1.Dataset, error) {
	if l.Existing == "" {
		return benchv1alpha1.Dataset{Database: &l.Database, Collections: []benchv1alpha1.Collection{{
			Name: Collection, DocumentCount: &l.Records, Fields: l.fields(length),
		}}}, nil
	}
	if (l.Shares != Shares{Reads: l.Shares.Reads, Scans: l.Shares.Scans}) {
		return benchv1alpha1.Dataset{}, errReadsOnly
	}
	return benchv1alpha1.Dataset{
		Database: &l.Database, Existing: &benchv1alpha1.ExistingDataset{},
		Collections: []benchv1alpha1.Collection{{Name: l.Existing}},
	}, nil
}

// seconds is a length of time as the API has it.
func seconds(what string, length time.Duration) (int32, error) {
	if length%time.Second != 0 {
		return 0, fmt.Errorf("the %s is %s: give whole seconds", what, length)
	}
	return int32(length / time.Second), nil
}

// The fields of a document, and the parameter that an update writes.
const (
	idField       = "_id"
	categoryField = "category"
	fieldPrefix   = "field"
	categories    = 100
	freshValue    = "value"
)

func fieldName(i int32) string { return fieldPrefix + strconv.Itoa(int(i)) }

// fieldBytes is how long each text is for a document to have its size, as near as equal texts come to it.
func (l Load) fieldBytes() (int32, error) {
	if l.Fields < 1 {
		return 0, fmt.Errorf("there are %d fields, and there has to be one at least", l.Fields)
	}
	// BSON has the type of a value and a byte that ends its name, the length of a text and a byte that ends it; _id is
	// a number of 8 bytes and category one of 4; a document has its length and an end.
	const (
		ofField    = 1 + 1
		ofText     = ofField + 4 + 1
		ofDocument = 4 + 1 + ofField + len(idField) + 8 + ofField + len(categoryField) + 4
	)
	frame := int32(ofDocument)
	for i := range l.Fields {
		frame += int32(ofText + len(fieldName(i)))
	}
	length := (l.DocumentBytes - frame) / l.Fields
	if length < 1 {
		return 0, fmt.Errorf("a document of %d bytes has no room for %d fields: it takes %d", l.DocumentBytes, l.Fields,
			frame+l.Fields)
	}
	return length, nil
}

func (l Load) fields(length int32) []benchv1alpha1.Field {
	fields := make([]benchv1alpha1.Field, 0, l.Fields+2)
	fields = append(fields,
		benchv1alpha1.Field{Name: idField, Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorSequence}},
		benchv1alpha1.Field{Name: categoryField, Generator: benchv1alpha1.Generator{
			Type: benchv1alpha1.GeneratorInt,
			ValueSettings: benchv1alpha1.ValueSettings{
				Integer: &benchv1alpha1.IntegerSettings{Min: new(int64(0)), Max: new(int64(categories - 1))},
			},
		}})
	for i := range l.Fields {
		fields = append(fields, benchv1alpha1.Field{Name: fieldName(i), Generator: benchv1alpha1.Generator{
			Type: benchv1alpha1.GeneratorString, ValueSettings: text(length),
		}})
	}
	return fields
}

func text(length int32) benchv1alpha1.ValueSettings {
	return benchv1alpha1.ValueSettings{Bytes: &benchv1alpha1.BytesSettings{MinLength: &length, MaxLength: &length}}
}

// What an operation is about: one document, or those from one on. A scan reads a page of them, an aggregation counts a
// few hundred by their category.
const (
	oneDocument  = `{"_id":{"$key":"_id"}}`
	fromDocument = `{"_id":{"$gte":{"$key":"_id"}}}`
	scanned      = 50
	byCategory   = `[{"$match":` + fromDocument + `},{"$sort":{"_id":1}},{"$limit":500},` +
		`{"$group":{"_id":"$category","documents":{"$sum":1}}}]`
)

func (l Load) operations(length int32) []benchv1alpha1.Operation {
	update := benchv1alpha1.Operation{
		Parameters: []benchv1alpha1.Parameter{{
			Name: freshValue, Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorString), ValueSettings: text(length),
		}},
		Request: benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationUpdateOne, Filter: oneDocument, Update: `{"$set":{"field0":{"$param":"value"}}}`,
		},
	}
	request := func(request benchv1alpha1.Request) benchv1alpha1.Operation {
		return benchv1alpha1.Operation{Request: request}
	}
	var mix []benchv1alpha1.Operation
	for _, part := range []struct {
		name      string
		share     int32
		operation benchv1alpha1.Operation
	}{
		{"insert", l.Shares.Inserts, request(benchv1alpha1.Request{Kind: benchv1alpha1.OperationInsertOne})},
		{"read", l.Shares.Reads, request(benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationFindOne, Filter: oneDocument,
		})},
		{"update", l.Shares.Updates, update},
		{"delete", l.Shares.Deletes, request(benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationDeleteOne, Filter: oneDocument,
		})},
		{"scan", l.Shares.Scans, request(benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationFind, Filter: fromDocument, Limit: scanned,
			Sort: []benchv1alpha1.SortKey{{Field: idField}},
		})},
		{"aggregate", l.Shares.Aggregations, request(benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationAggregate, Pipeline: byCategory,
		})},
	} {
		if part.share != 0 {
			part.operation.Name, part.operation.Weight = part.name, part.share
			mix = append(mix, part.operation)
		}
	}
	return mix
}
