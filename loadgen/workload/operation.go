package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// operation is one kind of request of a mix, compiled.
type operation struct {
	// fixed is what every request of this operation has in common.
	fixed      Request
	parameters []parameter
	// holes are the templates whose result depends on parameters, each with the field of the request that takes it.
	holes []hole
	// generator makes the documents of an insert or replacement; nil for any other kind.
	generator *document.Generator
	// inserts is the number of documents of an insert.
	inserts int
	// replaceKey is the index of the parameter whose record is replaced.
	replaceKey int
}

type hole struct {
	template *template
	field    func(*Request) *bson.Raw
}

// updateName is the name of the one part that may be an object or an array.
const updateName = "update"

// part is one of the documents that an operation is declared with.
type part struct {
	name    string
	text    string
	allowed shape
	field   func(*Request) *bson.Raw
}

func compileOperation(d *Dataset, step string, declared planv1.Operation) (*operation, error) {
	kind, err := parseKind(declared.Kind)
	if err != nil {
		return nil, err
	}
	c, ok := d.collections[declared.Collection]
	if !ok {
		return nil, fmt.Errorf("collection %q is not in the dataset", declared.Collection)
	}
	if declared.Weight < 1 {
		return nil, fmt.Errorf("weight is %d, not at least 1", declared.Weight)
	}
	op := &operation{fixed: Request{
		Kind: kind, Collection: declared.Collection,
		Skip: declared.Skip, Limit: declared.Limit,
		BatchSize: declared.BatchSize, FirstBatchOnly: declared.FirstBatchOnly,
	}}
	for _, p := range declared.Parameters {
		compiled, err := compileParameter(d.plan.Seed, step, c, p)
		if err != nil {
			return nil, fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		op.parameters = append(op.parameters, compiled)
	}
	if err := op.compileParts(declared); err != nil {
		return nil, err
	}
	return op, op.compileDocuments(c, declared)
}

// compileParts compiles the templates that the kind needs.
func (op *operation) compileParts(declared planv1.Operation) error {
	names := make([]string, 0, len(declared.Parameters))
	for _, p := range declared.Parameters {
		names = append(names, p.Name)
	}
	for _, part := range partsOf(op.fixed.Kind, declared) {
		if part.text == "" {
			return fmt.Errorf("%s is required with %s", part.name, op.fixed.Kind)
		}
		compiled, isArray, err := parseTemplate(part.text, part.allowed, names)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		op.fixed.UpdateIsPipeline = op.fixed.UpdateIsPipeline || isArray && part.name == updateName
		if compiled.pieces == nil {
			*part.field(&op.fixed) = compiled.constant
			continue
		}
		op.holes = append(op.holes, hole{template: compiled, field: part.field})
		for _, piece := range compiled.pieces {
			if piece.action == putValue {
				op.parameters[piece.parameter].used = true
			}
		}
	}
	sort, err := encodeSort(declared.Sort)
	op.fixed.Sort = sort
	return err
}

// partsOf lists the documents that belong to an operation of this kind.
func partsOf(kind Kind, declared planv1.Operation) []part {
	var (
		filter   = part{"filter", declared.Filter, anObject, func(r *Request) *bson.Raw { return &r.Filter }}
		update   = part{updateName, declared.Update, anObject | anArray, func(r *Request) *bson.Raw { return &r.Update }}
		pipeline = part{"pipeline", declared.Pipeline, anArray, func(r *Request) *bson.Raw { return &r.Pipeline }}
		command  = part{"command", declared.Command, anObject, func(r *Request) *bson.Raw { return &r.Command }}
	)
	parts := map[Kind][]part{
		FindOne:         {filter},
		Find:            {filter},
		UpdateOne:       {filter, update},
		ReplaceOne:      {filter},
		DeleteOne:       {filter},
		ReadModifyWrite: {filter, update},
		Aggregate:       {pipeline},
		CountDocuments:  {filter},
		RunCommand:      {command},
	}[kind]
	if declared.Projection != "" {
		project := func(r *Request) *bson.Raw { return &r.Projection }
		parts = append(parts, part{"projection", declared.Projection, anObject, project})
	}
	return parts
}

// compileDocuments prepares what an insert or replacement writes.
func (op *operation) compileDocuments(c collection, declared planv1.Operation) error {
	switch op.fixed.Kind {
	case InsertOne:
		op.generator, op.inserts = c.generator, 1
	case InsertMany:
		if declared.BatchDocuments < 1 {
			return fmt.Errorf("batchDocuments is %d, not at least 1", declared.BatchDocuments)
		}
		op.generator, op.inserts = c.generator, declared.BatchDocuments
	case ReplaceOne:
		op.generator = c.generator
		op.replaceKey = slices.IndexFunc(declared.Parameters, func(p planv1.Parameter) bool {
			return p.Name == declared.ReplaceKey && p.Type == planv1.TypeKey
		})
		if op.replaceKey < 0 {
			return fmt.Errorf("replaceKey %q is no parameter of type Key", declared.ReplaceKey)
		}
		op.parameters[op.replaceKey].used = true
	default:
	}
	return nil
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

// reset sets a request to what all of this operation have in common, and keeps its buffers.
func (op *operation) reset(req *Request) {
	documents, buffer, values, parameters := req.Documents[:0], req.buffer[:0], req.values[:0], req.parameters[:0]
	*req = op.fixed
	req.Documents, req.buffer, req.values, req.parameters = documents, buffer, values, parameters
}

func (op *operation) drawParameters(number int64, req *Request) {
	for i := range op.parameters {
		if op.parameters[i].used {
			op.parameters[i].draw(number, req)
		} else {
			req.parameters = append(req.parameters, drawn{})
		}
	}
}

func (op *operation) render(req *Request) {
	for i := range op.holes {
		*op.holes[i].field(req) = op.holes[i].template.render(req)
	}
}
