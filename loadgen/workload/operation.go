package workload

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// compiledOperation is one operation of a mix.
type compiledOperation struct {
	single

	parameters []parameter
	// parts of a Transaction or BulkWrite.
	parts []single
	// toCopies says that it, or a part of it, is sent to one of several copies of a collection: to that of the record
	// which the parameter chooser draws, or to any where that is none.
	toCopies bool
	chooser  int
	// names are those of the values of the flow that it is a part of, with their slots.
	names map[string]int
}

// compileOperation compiles an operation; around is the flow that it is a part of.
func compileOperation(
	d *Dataset, step string, declared *planv1.Operation, around surroundings,
) (*compiledOperation, error) {
	if (declared.Weight < 1) != (declared.PartOf != "") {
		return nil, fmt.Errorf("weight is %d, not at least 1, or that of a part not 0", declared.Weight)
	}
	c, ok := d.collections[declared.Collection]
	if !ok {
		return nil, fmt.Errorf("collection %q is not in the dataset", declared.Collection)
	}
	op := &compiledOperation{names: around.names}
	var err error
	if around.whole != nil {
		declared, err = op.within(d, step, declared, around.whole)
	} else {
		err = op.compileParameters(d, step, c, declared.Parameters)
	}
	if err != nil {
		return nil, err
	}
	whole, err := op.compileSingle(c, declared, declared)
	if err != nil {
		return nil, err
	}
	op.single = *whole
	if err := op.compileParts(d, declared); err != nil {
		return nil, err
	}
	op.markTied()
	op.findChooser(c)
	if op.toCopies && around.whole != nil {
		return nil, fmt.Errorf("collection %q has copies, which a part of a flow cannot be about", declared.Collection)
	}
	return op, nil
}

// compileParts compiles the parts of a Transaction or BulkWrite.
func (op *compiledOperation) compileParts(d *Dataset, declared *planv1.Operation) error {
	kind := op.fixed.Kind
	if kind.Row().Effect != operation.ByParts || isFlow(declared) {
		return nil
	}
	if len(declared.Operations) == 0 {
		return fmt.Errorf("operations are required with %s", kind)
	}
	for i := range declared.Operations {
		part := &planv1.Operation{Request: declared.Operations[i]}
		compiled, err := op.compilePart(d, declared, part)
		if err != nil {
			return fmt.Errorf("part %d, %s: %w", i, part.Kind, err)
		}
		for j := range op.parts {
			if before := &op.parts[j]; before.generator == compiled.generator {
				compiled.offset += before.inserts
			}
		}
		op.parts = append(op.parts, *compiled)
	}
	return nil
}

func (op *compiledOperation) compilePart(d *Dataset, declared, part *planv1.Operation) (*single, error) {
	name := part.Collection
	if name == "" {
		name = declared.Collection
	}
	c, ok := d.collections[name]
	if !ok {
		return nil, fmt.Errorf("collection %q is not in the dataset", name)
	}
	whole := op.fixed.Kind
	if kind, err := operation.Parse(part.Kind); err == nil && !slices.Contains(kind.Row().PartOf, whole) {
		return nil, fmt.Errorf("it cannot be a part of a %s", whole)
	}
	compiled, err := op.compileSingle(c, declared, part)
	if err != nil {
		return nil, err
	}
	if compiled.fixed.Kind.Row().Replaces() && name != declared.Collection {
		return nil, errors.New("replaceKey draws from another collection")
	}
	return compiled, nil
}

// markTied marks the parameters that others in use are tied to. Each is tied to one before it.
func (op *compiledOperation) markTied() {
	for i := len(op.parameters) - 1; i >= 0; i-- {
		if p := &op.parameters[i]; p.used && p.tied >= 0 {
			op.parameters[p.tied].used = true
		}
	}
}

// number tells the requests which operation of the mix they are.
func (op *compiledOperation) number(index int) {
	op.fixed.Operation = index
	for i := range op.parts {
		op.parts[i].fixed.Operation = index
	}
}

// insertsInto is how many documents the operation inserts into the collection that c makes the documents of.
func (op *compiledOperation) insertsInto(c collection) int64 {
	count := 0
	if op.generator == c.generator {
		count += op.inserts
	}
	for i := range op.parts {
		if op.parts[i].generator == c.generator {
			count += op.parts[i].inserts
		}
	}
	return int64(count)
}

// numbers is how many record numbers the operation may use.
func (op *compiledOperation) numbers() int64 {
	count := op.inserts
	for i := range op.parts {
		count = max(count, op.parts[i].offset+op.parts[i].inserts)
	}
	return int64(count)
}

// reset sets a request to what all of this operation have in common, and keeps its buffers.
func (op *compiledOperation) reset(req *Request) {
	documents, parts := req.Documents[:0], req.Parts[:0]
	buffer, values, parameters := req.buffer[:0], req.values[:0], req.parameters[:0]
	*req = op.fixed
	for i := range op.parts {
		parts = appendPart(parts, &op.parts[i].fixed)
	}
	req.Documents, req.Parts = documents, parts
	req.buffer, req.values, req.parameters = buffer, values, parameters
}

// appendPart adds a part that is as fixed says, and keeps what the part in its place had grown.
func appendPart(parts []Request, fixed *Request) []Request {
	last := len(parts)
	if last == cap(parts) {
		parts = append(parts, Request{})
	}
	parts = parts[:last+1]
	part := &parts[last]
	documents := part.Documents[:0]
	*part = *fixed
	part.Documents = documents
	return parts
}

// resume is reset for a part of a flow, whose first parameters are drawn already.
func (op *compiledOperation) resume(req *Request, drawn int) {
	parameters, end := req.parameters[:drawn], 0
	for i := range parameters {
		end = max(end, parameters[i].end)
	}
	values := req.values[:end]
	op.reset(req)
	req.parameters, req.values = parameters, values
}

func (op *compiledOperation) drawParameters(number int64, req *Request) {
	for i := range op.parameters {
		op.parameters[i].drawOrSkip(number, req)
	}
}

// Request is one operation, ready to be sent. What its kind does not use is zero. All that it refers to is valid until
// the next Draw, and must not be changed: some of it is shared with other requests.
type Request struct {
	// Number of the request, as Mix.Draw was given it, and Operation is its index in the mix.
	Number     int64
	Operation  int
	Kind       operation.Kind
	Collection string

	// Filter is never nil where the kind has one: {} selects everything.
	Filter     bson.Raw
	Projection bson.Raw
	Sort       bson.Raw
	// Update holds update operators, or an array of stages with UpdateIsPipeline.
	Update           bson.Raw
	UpdateIsPipeline bool
	// Pipeline is an array of stages, never nil where the kind has one; that of a ChangeStream may be empty.
	Pipeline bson.Raw
	Command  bson.Raw

	// Options are nil for none. ArrayFilters is an array and Let a document, each nil for none and with Options.
	Options           *Options
	ArrayFilters, Let bson.Raw

	// Skip and Limit of 0 mean none, a BatchSize of 0 the server's default.
	Skip           int64
	Limit          int64
	BatchSize      int32
	FirstBatchOnly bool

	// AllowDiskUse lets an Aggregate use the disk, or forbids it; nil leaves it to the server.
	AllowDiskUse *bool

	// Upsert inserts what an update does not find, and Ordered lets a BulkWrite end at its first error.
	Upsert, Ordered bool
	// MaxAwaitMillis is how long the server may wait for news in a ChangeStream or Tail.
	MaxAwaitMillis int
	// Database that a RunCommand of a replay goes to; empty: the session's.
	Database string
	// Declared is the operation in the plan, for its concerns and read preference. It is shared and read-only.
	Declared *planv1.Operation
	// Parts of a Transaction or BulkWrite, in their order. They refer to the buffers of the whole.
	Parts []Request

	// Documents are those of an insert, or the one of a replacement.
	Documents []bson.Raw

	// Taking takes what a flow wants of the documents that come; nil outside of flows, and where none are wanted.
	Taking *Taking
	// frame has the values that were captured, and missing is the slot of one that is needed and was not; or none.
	frame   *Frame
	missing int

	// buffer holds what the fields above refer to, values the parameters, encoded.
	buffer     []byte
	values     []byte
	parameters []drawn
}

// LacksCaptured says of a request that Sample has filled in that it needs a value which only a flow captures.
func (r *Request) LacksCaptured() bool { return r.missing != none }

// drawn is a parameter's value: where it lies in the values, and for a Key the record it was taken from.
type drawn struct {
	bsonType   byte
	start, end int
	record     int64
}
