package infer

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// About is what a server tells of the collection as a whole.
type About struct {
	Name string
	// Documents that the collection has.
	Documents int64
	// Options that it was created with, as listCollections has them, and Indexes as listIndexes has them.
	Options bson.Raw
	Indexes []bson.Raw
}

// Note is something that the dataset does not express as it is.
type Note struct {
	// Field with dots, or empty when it is about the collection.
	Field string
	Text  string
}

// The API's limits.
const (
	mostFields       = 64
	mostNestedFields = 16
	mostIndexes      = 63
	longestName      = 255
	longestIndexName = 120
	leastCappedBytes = 4096
)

const idField = "_id"

// inference makes one collection.
type inference struct {
	sample *Sample
	about  About
	notes  []Note
	// unique fields must not repeat, for an index says so.
	unique map[string]bool
	// sparse are those of them that may be missing.
	sparse map[string]bool
}

func (i *inference) note(field, format string, arguments ...any) {
	i.notes = append(i.notes, Note{Field: field, Text: fmt.Sprintf(format, arguments...)})
}

// Collection makes the API's collection, with notes of what it does not express.
func (s *Sample) Collection(about About) (benchv1alpha1.Collection, []Note) {
	i := &inference{sample: s, about: about, unique: map[string]bool{idField: true}, sparse: map[string]bool{}}
	collection := benchv1alpha1.Collection{Name: about.Name, DocumentCount: new(about.Documents)}
	collection.Options = i.options()
	collection.Indexes = i.indexes(collection.Options != nil && collection.Options.Capped != nil)
	collection.Fields = i.fields("", s.root, s.documents)
	if most := mostFields; len(collection.Fields) > most {
		i.note("", "it has %d fields, and a dataset at most %d: the last are left out", len(collection.Fields), most)
		collection.Fields = collection.Fields[:most]
	}
	return collection, i.notes
}

// options are those that the API knows.
func (i *inference) options() *benchv1alpha1.CollectionOptions {
	var options benchv1alpha1.CollectionOptions
	if capped, _ := i.about.Options.Lookup("capped").BooleanOK(); capped {
		size, _ := i.about.Options.Lookup("size").AsInt64OK()
		options.Capped = &benchv1alpha1.CappedOptions{SizeBytes: max(size, leastCappedBytes)}
		if most, ok := i.about.Options.Lookup("max").AsInt64OK(); ok && most > 0 {
			options.Capped.MaxDocuments = &most
		}
	}
	config, _ := i.about.Options.Lookup("storageEngine", "wiredTiger", "configString").StringValueOK()
	options.Compressor = compressor(config)
	for _, name := range []string{"validator", "collation", "timeseries", "clusteredIndex", "expireAfterSeconds"} {
		if !i.about.Options.Lookup(name).IsZero() {
			i.note("", "its option %s is left out", name)
		}
	}
	if options.Capped == nil && options.Compressor == nil {
		return nil
	}
	return &options
}

// compressor of WiredTiger's configuration string; nil: the server's default.
func compressor(config string) *benchv1alpha1.Compressor {
	for setting := range strings.SplitSeq(config, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		if name != "block_compressor" {
			continue
		}
		for _, known := range []benchv1alpha1.Compressor{
			benchv1alpha1.CompressorNone, benchv1alpha1.CompressorSnappy, benchv1alpha1.CompressorZlib,
			benchv1alpha1.CompressorZstd,
		} {
			if strings.EqualFold(value, string(known)) {
				return &known
			}
		}
		if value == "" {
			return new(benchv1alpha1.CompressorNone)
		}
	}
	return nil
}

// indexes are those besides the one on _id that the API can declare.
func (i *inference) indexes(capped bool) []benchv1alpha1.Index {
	var indexes []benchv1alpha1.Index
	for _, declared := range i.about.Indexes {
		name, _ := declared.Lookup("name").StringValueOK()
		index, ok := i.index(name, declared)
		if !ok || name == "_id_" {
			continue
		}
		if index.ExpireAfterSeconds != nil {
			i.note("", "index %s lets documents expire: what is older by then goes while a run goes on", name)
			if capped {
				index.ExpireAfterSeconds = nil
			}
		}
		indexes = append(indexes, index)
	}
	if len(indexes) > mostIndexes {
		i.note("", "it has %d indexes, and a dataset at most %d: the last are left out", len(indexes), mostIndexes)
		indexes = indexes[:mostIndexes]
	}
	return indexes
}

// index is false for one that the API cannot declare.
func (i *inference) index(name string, declared bson.Raw) (index benchv1alpha1.Index, ok bool) {
	keys, _ := declared.Lookup("key").DocumentOK()
	elements, err := keys.Elements()
	if err != nil {
		return index, false
	}
	parts := make([]string, 0, 2*len(elements))
	for _, element := range elements {
		kind, part, known := keyType(element.Value())
		if !known || len(element.Key()) > longestName {
			i.note("", "index %s is left out: key %s is of a kind that a dataset has not", name, element.Key())
			return index, false
		}
		parts = append(parts, element.Key(), part)
		key := benchv1alpha1.IndexKey{Field: element.Key()}
		if kind != benchv1alpha1.IndexKeyAscending {
			key.Type = &kind
		}
		index.Keys = append(index.Keys, key)
	}
	if name != strings.Join(parts, "_") && len(name) <= longestIndexName {
		index.Name = &name
	}
	i.indexOptions(name, declared, &index)
	return index, true
}

func (i *inference) indexOptions(name string, declared bson.Raw, index *benchv1alpha1.Index) {
	has := func(option string) bool {
		set, _ := declared.Lookup(option).BooleanOK()
		return set
	}
	if has("sparse") {
		index.Properties = append(index.Properties, benchv1alpha1.IndexSparse)
	}
	switch {
	case !has("unique"):
	case len(index.Keys) == 1 && !strings.Contains(index.Keys[0].Field, "$"):
		index.Properties = append(index.Properties, benchv1alpha1.IndexUnique)
		i.unique[index.Keys[0].Field] = true
		i.sparse[index.Keys[0].Field] = has("sparse")
	default:
		i.note("", "index %s is not unique here: the fields are made independently of each other, and may repeat together",
			name)
	}
	if seconds, ok := declared.Lookup("expireAfterSeconds").AsInt64OK(); ok && len(index.Keys) == 1 {
		index.ExpireAfterSeconds = new(int32(seconds))
	}
	for _, option := range []string{"partialFilterExpression", "collation", "wildcardProjection"} {
		if !declared.Lookup(option).IsZero() {
			i.note("", "index %s is made without its %s", name, option)
		}
	}
}

// keyType is the type of a key, and how the server writes it in the name that it derives. It is not known of a kind
// that a dataset has not.
func keyType(value bson.RawValue) (kind benchv1alpha1.IndexKeyType, part string, known bool) {
	if text, ok := value.StringValueOK(); ok {
		return benchv1alpha1.IndexKeyHashed, text, text == "hashed"
	}
	number, ok := value.AsFloat64OK()
	if number < 0 {
		return benchv1alpha1.IndexKeyDescending, "-1", ok
	}
	return benchv1alpha1.IndexKeyAscending, "1", ok
}

// generatedDocuments are made to see how large they are.
const generatedDocuments = 2000

// Generated validates a dataset of one collection as the operator would, and returns the average size of its documents
// in bytes.
func Generated(dataset benchv1alpha1.Dataset) (averageBytes int64, err error) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "any"}
	run.Spec.Dataset = dataset
	if problems := validation.ValidateRun(run); len(problems) > 0 {
		return 0, fmt.Errorf("the dataset that was inferred is not valid: %w", problems.ToAggregate())
	}
	plan := spec.Compile(run.Spec)
	var total int64
	for _, collection := range plan.Collections {
		generator, err := document.Compile(plan.Seed, collection)
		if err != nil {
			return 0, fmt.Errorf("the dataset that was inferred cannot be generated: %w", err)
		}
		var buffer []byte
		for record := range int64(generatedDocuments) {
			buffer = generator.Append(buffer[:0], record)
			total += int64(len(buffer))
		}
	}
	return total / generatedDocuments, nil
}
