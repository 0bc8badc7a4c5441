package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
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
}

// none is the index of a parameter that there is not.
const none = -1

type hole struct {
	template *template
	field    func(*Request) *bson.Raw
}

// updateName is the name of the one document that may be an object or an array.
const updateName = "update"

// text is one of the documents that an operation is declared with.
type text struct {
	name    string
	text    string
	allowed shape
	field   func(*Request) *bson.Raw
}

// compileSingle compiles a request that uses the parameters of the whole, and marks those that it uses.
func (op *operation) compileSingle(c collection, whole, declared *planv1.Operation) (*single, error) {
	kind, err := parseKind(declared.Kind)
	if err != nil {
		return nil, err
	}
	s := &single{limit: none, replaceKey: none, fixed: Request{
		Kind: kind, Collection: c.generator.Name(),
		Skip: declared.Skip, Limit: declared.Limit,
		BatchSize: declared.BatchSize, FirstBatchOnly: declared.FirstBatchOnly,
		Upsert: declared.Upsert, Ordered: declared.Ordered, MaxAwaitMillis: declared.MaxAwaitMillis,
		Declared: declared,
	}}
	if err := s.compileTexts(whole.Parameters, declared); err != nil {
		return nil, err
	}
	if err := s.compileLimit(whole.Parameters, declared); err != nil {
		return nil, err
	}
	if err := s.compileDocuments(c, whole.Parameters, declared); err != nil {
		return nil, err
	}
	for _, index := range s.references() {
		op.parameters[index].used = true
	}
	return s, nil
}

// compileTexts compiles the templates that the kind needs.
func (s *single) compileTexts(parameters []planv1.Parameter, declared *planv1.Operation) error {
	for _, text := range textsOf(s.fixed.Kind, declared) {
		if text.text == "" {
			return fmt.Errorf("%s is required with %s", text.name, s.fixed.Kind)
		}
		compiled, isArray, err := parseTemplate(text.text, text.allowed, parameters)
		if err != nil {
			return fmt.Errorf("%s: %w", text.name, err)
		}
		s.fixed.UpdateIsPipeline = s.fixed.UpdateIsPipeline || isArray && text.name == updateName
		if compiled.pieces == nil {
			*text.field(&s.fixed) = compiled.constant
			continue
		}
		s.holes = append(s.holes, hole{template: compiled, field: text.field})
	}
	sort, err := encodeSort(declared.Sort)
	s.fixed.Sort = sort
	return err
}

// textsOf lists the documents that belong to an operation of this kind.
func textsOf(kind Kind, declared *planv1.Operation) []text {
	var (
		filter   = text{"filter", declared.Filter, anObject, func(r *Request) *bson.Raw { return &r.Filter }}
		update   = text{updateName, declared.Update, anObject | anArray, func(r *Request) *bson.Raw { return &r.Update }}
		pipeline = text{"pipeline", declared.Pipeline, anArray, func(r *Request) *bson.Raw { return &r.Pipeline }}
		command  = text{"command", declared.Command, anObject, func(r *Request) *bson.Raw { return &r.Command }}
	)
	if kind == ChangeStream && pipeline.text == "" {
		pipeline.text = "[]"
	}
	if kind == Tail && filter.text == "" {
		filter.text = "{}"
	}
	texts := map[Kind][]text{
		FindOne:          {filter},
		Find:             {filter},
		UpdateOne:        {filter, update},
		ReplaceOne:       {filter},
		DeleteOne:        {filter},
		ReadModifyWrite:  {filter, update},
		Aggregate:        {pipeline},
		CountDocuments:   {filter},
		RunCommand:       {command},
		UpdateMany:       {filter, update},
		DeleteMany:       {filter},
		FindOneAndUpdate: {filter, update},
		ChangeStream:     {pipeline},
		Tail:             {filter},
	}[kind]
	if declared.Projection != "" {
		project := func(r *Request) *bson.Raw { return &r.Projection }
		texts = append(texts, text{"projection", declared.Projection, anObject, project})
	}
	return texts
}

// compileLimit finds the parameter that the limit is drawn by.
func (s *single) compileLimit(parameters []planv1.Parameter, declared *planv1.Operation) error {
	if declared.LimitParameter == "" {
		return nil
	}
	s.limit = slices.IndexFunc(parameters, func(p planv1.Parameter) bool { return p.Name == declared.LimitParameter })
	if s.limit < 0 || parameters[s.limit].Type != planv1.TypeInt || parameters[s.limit].Min < 1 {
		return fmt.Errorf("limitParameter %q is no parameter of type Int that is at least 1", declared.LimitParameter)
	}
	return nil
}

// compileDocuments prepares what an insert or replacement writes.
func (s *single) compileDocuments(c collection, parameters []planv1.Parameter, declared *planv1.Operation) error {
	switch s.fixed.Kind {
	case InsertOne:
		s.generator, s.inserts = c.generator, 1
	case InsertMany:
		if declared.BatchDocuments < 1 {
			return fmt.Errorf("batchDocuments is %d, not at least 1", declared.BatchDocuments)
		}
		s.generator, s.inserts = c.generator, declared.BatchDocuments
	case ReplaceOne:
		s.generator = c.generator
		s.replaceKey = slices.IndexFunc(parameters, func(p planv1.Parameter) bool {
			return p.Name == declared.ReplaceKey && p.Type == planv1.TypeKey
		})
		if s.replaceKey < 0 {
			return fmt.Errorf("replaceKey %q is no parameter of type Key", declared.ReplaceKey)
		}
	default:
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

// encodeSort writes a sort order as the servers want it; nil for none.
func encodeSort(keys []planv1.IndexKey) (bson.Raw, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	sort := make(bson.D, 0, len(keys))
	for _, key := range keys {
		order, err := strconv.ParseInt(key.Order, 10, 32)
		if err != nil || order != 1 && order != -1 {
			return nil, fmt.Errorf("sort: order of field %q is %q, not 1 or -1", key.Field, key.Order)
		}
		if key.Field == "" || strings.ContainsRune(key.Field, 0) {
			return nil, errors.New("sort: a field's name is empty or holds a zero byte")
		}
		sort = append(sort, bson.E{Key: key.Field, Value: int32(order)})
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
	if s.fixed.Kind == ReplaceOne {
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
