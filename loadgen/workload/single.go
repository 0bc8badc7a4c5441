package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// single is one request of an operation, compiled: the whole of it, or a part of a Transaction or BulkWrite.
type single struct {
	// fixed is what every such request has in common.
	fixed Request
	// holes are the templates whose result depends on parameters, each with the field of the request that takes it.
	holes []hole
	// generator makes the documents of an insert or replacement; nil for any other kind.
	generator *document.Generator
	// inserts is the number of documents of an insert; offset is how many of the operation's record numbers the parts
	// before this one use.
	inserts, offset int
	// replaceKey is the parameter whose record is replaced, limit the one that the limit is drawn by, or none.
	replaceKey, limit int
	// copies are the collections that it is sent to one of; nil where there is one.
	copies *copies
}

// none is the index of a parameter that there is not.
const none = -1

type hole struct {
	template *template
	field    func(*Request) *bson.Raw
}

// documents are those that an operation may be declared with.
var documents = []struct {
	setting operation.Setting
	allowed shape
	field   func(*Request) *bson.Raw
}{
	{operation.Filter, anObject, func(r *Request) *bson.Raw { return &r.Filter }},
	{operation.Update, anObject | anArray, func(r *Request) *bson.Raw { return &r.Update }},
	{operation.Pipeline, anArray, func(r *Request) *bson.Raw { return &r.Pipeline }},
	{operation.Command, anObject, func(r *Request) *bson.Raw { return &r.Command }},
	{operation.Projection, anObject, func(r *Request) *bson.Raw { return &r.Projection }},
	{operation.ArrayFilters, anArray, func(r *Request) *bson.Raw { return &r.ArrayFilters }},
	{operation.Let, anObject, func(r *Request) *bson.Raw { return &r.Let }},
}

// optional are the documents that are sent only where they are declared.
var optional = []operation.Setting{operation.Projection, operation.ArrayFilters, operation.Let}

// unset are the documents of a read that declares none.
var unset = map[operation.Setting]string{operation.Filter: "{}", operation.Pipeline: "[]"}

// compileSingle compiles a request that uses the parameters of the whole, and marks those that it uses.
func (op *compiledOperation) compileSingle(c collection, whole, declared *planv1.Operation) (*single, error) {
	s, err := newSingle(declared, parser{parameters: whole.Parameters, captured: op.names})
	if err != nil {
		return nil, err
	}
	s.fixed.Collection, s.copies = c.name, c.copies
	if err := s.compileLimit(whole.Parameters, declared); err != nil {
		return nil, err
	}
	if err := s.compileWritten(c, whole.Parameters, declared); err != nil {
		return nil, err
	}
	for _, index := range s.references() {
		op.parameters[index].used = true
	}
	return s, nil
}

// newSingle compiles what does not depend on the dataset.
func newSingle(declared *planv1.Operation, p parser) (*single, error) {
	kind, err := operation.Parse(declared.Kind)
	if err != nil {
		return nil, err
	}
	s := &single{limit: none, replaceKey: none, fixed: Request{
		missing: none,
		Kind:    kind, Collection: declared.Collection, Skip: declared.Skip, Limit: declared.Limit,
		BatchSize: declared.BatchSize, FirstBatchOnly: declared.Fetch != "" && declared.Fetch != benchv1alpha1.FetchAll,
		Upsert:  declared.WhenMissing == benchv1alpha1.MissingInsert,
		Ordered: declared.Order == benchv1alpha1.WriteOrdered, MaxAwaitMillis: int(declared.MaxAwaitMillis),
		Declared: declared,
	}}
	if declared.Fetch == benchv1alpha1.FetchFirstDocument {
		s.fixed.BatchSize = 1
	}
	if declared.AllowDiskUse != "" {
		s.fixed.AllowDiskUse = new(declared.AllowDiskUse == benchv1alpha1.Enabled)
	}
	if s.fixed.Options, err = compileOptions(declared); err != nil {
		return nil, err
	}
	return s, s.compileDocuments(p, declared)
}

// Example is a request such as an operation sends, without parts and documents to write, and with the number 1 for the
// value of every parameter: what can be said of its form can be said of all of them.
func Example(declared *planv1.Operation) (*Request, error) {
	s, err := newSingle(declared, parser{example: true})
	if err != nil {
		return nil, err
	}
	return &s.fixed, nil
}

// compileDocuments compiles the templates that the kind takes.
func (s *single) compileDocuments(p parser, declared *planv1.Operation) error {
	row := s.fixed.Kind.Row()
	texts := map[operation.Setting]string{
		operation.Filter: declared.Filter.Text(), operation.Update: declared.Update.Text(),
		operation.Pipeline: declared.Pipeline.Text(), operation.Command: declared.Command.Text(),
		operation.Projection: declared.Projection.Text(), operation.ArrayFilters: declared.ArrayFilters.Text(),
		operation.Let: declared.Let.Text(),
	}
	for _, document := range documents {
		text := texts[document.setting]
		if text == "" && !row.Effect.Writes() && !row.Requires(document.setting) {
			text = unset[document.setting]
		}
		switch {
		case !row.Takes(document.setting), text == "" && slices.Contains(optional, document.setting):
			continue
		case text == "":
			return fmt.Errorf("%s is required with %s", document.setting, s.fixed.Kind)
		}
		compiled, isArray, err := p.parse(text, document.allowed)
		if err != nil {
			return fmt.Errorf("%s: %w", document.setting, err)
		}
		s.fixed.UpdateIsPipeline = s.fixed.UpdateIsPipeline || isArray && document.setting == operation.Update
		if compiled.pieces == nil {
			*document.field(&s.fixed) = compiled.constant
			continue
		}
		s.holes = append(s.holes, hole{template: compiled, field: document.field})
	}
	sort, err := encodeSort(declared.Sort)
	s.fixed.Sort = sort
	return err
}

// compileLimit finds the parameter that the limit is drawn by.
func (s *single) compileLimit(parameters []planv1.Parameter, declared *planv1.Operation) error {
	if declared.LimitParameter == "" {
		return nil
	}
	s.limit = indexOf(parameters, declared.LimitParameter)
	if s.limit < 0 || parameters[s.limit].Type != benchv1alpha1.GeneratorInt || parameters[s.limit].Min < 1 {
		return fmt.Errorf("limitParameter %q is no parameter of type Int that is at least 1", declared.LimitParameter)
	}
	return nil
}

// compileWritten prepares what an insert or replacement writes.
func (s *single) compileWritten(c collection, parameters []planv1.Parameter, declared *planv1.Operation) error {
	row := s.fixed.Kind.Row()
	if row.Effect == operation.Inserts {
		s.generator, s.inserts = c.generator, 1
	}
	if row.Takes(operation.BatchDocuments) {
		if s.inserts = int(declared.BatchDocuments); s.inserts < 1 {
			return fmt.Errorf("batchDocuments is %d, not at least 1", s.inserts)
		}
	}
	if row.Replaces() {
		s.generator = c.generator
		s.replaceKey = indexOf(parameters, declared.ReplaceKey)
		if s.replaceKey < 0 || parameters[s.replaceKey].Type != planv1.TypeKey {
			return fmt.Errorf("replaceKey %q is no parameter of type Key", declared.ReplaceKey)
		}
	}
	return nil
}

// references are the parameters that the request needs.
func (s *single) references() []int {
	var indexes []int
	for _, hole := range s.holes {
		for _, piece := range hole.template.pieces {
			indexes = append(indexes, piece.references()...)
		}
	}
	for _, index := range []int{s.replaceKey, s.limit} {
		if index != none {
			indexes = append(indexes, index)
		}
	}
	return indexes
}

// directions of a sort order, as the servers write them.
var directions = map[benchv1alpha1.SortDirection]int32{
	benchv1alpha1.SortAscending: 1, benchv1alpha1.SortDescending: -1,
}

// encodeSort writes a sort order as the servers want it; nil for none.
func encodeSort(keys []benchv1alpha1.SortKey) (bson.Raw, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	sort := make(bson.D, 0, len(keys))
	for _, key := range keys {
		order, known := directions[key.Direction]
		if !known {
			return nil, fmt.Errorf("sort: direction of field %q is %q, not Ascending or Descending", key.Field, key.Direction)
		}
		if key.Field == "" || strings.ContainsRune(key.Field, 0) {
			return nil, errors.New("sort: a field's name is empty or holds a zero byte")
		}
		sort = append(sort, bson.E{Key: key.Field, Value: order})
	}
	encoded, err := bson.Marshal(sort)
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	return encoded, nil
}

// fill fills in req, which is the whole or a part of it; the parameters and the buffers are those of the whole. The
// operation has the record numbers from record on for what it inserts, and a revision of its own.
func (s *single) fill(req, whole *Request, record int64, revision uint64) {
	for i := range s.holes {
		*s.holes[i].field(req) = s.holes[i].template.render(whole)
	}
	if s.limit != none {
		value := whole.parameters[s.limit]
		// A sum with another parameter may be less than the parameter's own range, and 0 would be no limit.
		req.Limit = max(int64(int32(binary.LittleEndian.Uint32(whole.values[value.start:]))), 1)
	}
	if s.generator == nil {
		return
	}
	if s.replaceKey != none {
		req.add(whole, s.generator.AppendRevision(whole.buffer, whole.parameters[s.replaceKey].record, revision))
		return
	}
	for i := range s.inserts {
		req.add(whole, s.generator.Append(whole.buffer, record+int64(s.offset+i)))
	}
}

// add makes a document of what was appended to the buffer of the whole. Earlier documents may lie in the memory that
// the buffer had before it grew.
func (req *Request) add(whole *Request, buffer []byte) {
	start := len(whole.buffer)
	whole.buffer = buffer
	req.Documents = append(req.Documents, bson.Raw(buffer[start:len(buffer):len(buffer)]))
}
