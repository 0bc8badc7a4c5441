package workload

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/records"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// FirstWarmupNumber is the number of the first operation of a warm-up. Measured operations count from 0, so that how
// long the warm-up takes has no influence on them.
const FirstWarmupNumber = int64(1) << 39

// The record numbers of documents that a part of a step inserts: the one that comes as number k (from 0) has those from
// (k+1)<<stepBits on, measured operations the lower half, warm-ups the upper one. What is loaded lies below the first
// part's.
const (
	stepBits   = 46
	warmupHalf = int64(1) << (stepBits - 1)
)

// Mix draws the requests of one step, or of one group of it. It is read-only and serves any number of threads.
type Mix struct {
	declared   []planv1.Operation
	operations []compiledOperation
	// bounds[i] is the sum of the weights up to and including operation i.
	bounds []uint64
	stream stream.Stream
	// firstRecord is the first of the record numbers that belong to this part.
	firstRecord int64
	// stride is the number of record numbers that each operation may use: the largest batch of the mix.
	stride int64
	// seed is that of what is drawn.
	seed int64
	// roots are the flows among the operations, nil for the others; slots are those of their values.
	roots []*root
	slots []initial
}

// Compile prepares the operations of a step without groups, given by its index in the plan.
func Compile(d *Dataset, step int) (*Mix, error) {
	mixes, err := CompileParts(d, step)
	if err != nil {
		return nil, err
	}
	return mixes[0], nil
}

// CompileParts prepares the operations of a step, given by its index in the plan: one mix for each of its parts.
func CompileParts(d *Dataset, step int) ([]*Mix, error) {
	if step < 0 || step >= len(d.plan.Steps) || d.plan.Steps[step].Kind != planv1.StepMeasure {
		return nil, fmt.Errorf("step %d of the plan is no measurement", step)
	}
	d = d.at(d.plan.Steps[step].Documents)
	index := measureIndex(d.plan.Steps[:step])
	var mixes []*Mix
	for i, part := range d.plan.Steps[step].Parts() {
		mix, err := compilePart(d, part, index+int64(i))
		if err != nil {
			return nil, err
		}
		mixes = append(mixes, mix)
	}
	return mixes, nil
}

// CompileExact prepares the operations of a step once more, with the exact pipeline of their recall in place of their
// own: samples of an operation with the same number have the same parameters in both. It is nil where no operation of
// the step has a recall.
func CompileExact(d *Dataset, step int) ([]*Mix, error) {
	if step < 0 || step >= len(d.plan.Steps) {
		return nil, fmt.Errorf("there is no step %d in the plan", step)
	}
	operations := slices.Clone(d.plan.Steps[step].Operations)
	recalled := false
	for i := range operations {
		if recall := operations[i].Recall; recall != nil {
			operations[i].Pipeline, recalled = recall.Exact, true
		}
	}
	if !recalled {
		return nil, nil
	}
	exact := *d
	exact.plan.Steps = slices.Clone(d.plan.Steps)
	exact.plan.Steps[step].Operations = operations
	mixes, err := CompileParts(&exact, step)
	if err != nil {
		return nil, fmt.Errorf("recall.exact: %w", err)
	}
	return mixes, nil
}

// compilePart prepares the operations of a part, which comes as so manieth of all in the plan.
func compilePart(d *Dataset, declared planv1.Step, index int64) (*Mix, error) {
	m := &Mix{
		declared:    declared.Operations,
		stream:      stream.New(d.plan.DrawSeed(), "mix\x00"+declared.Name),
		firstRecord: index << stepBits,
		stride:      1,
		seed:        d.plan.DrawSeed(),
	}
	flows := flows{mix: m, declared: declared.Operations, step: declared.Name}
	if err := flows.prepare(); err != nil {
		return nil, fmt.Errorf("step %q: %w", declared.Name, err)
	}
	var total uint64
	for i := range declared.Operations {
		op := &m.declared[i]
		compiled, err := compileOperation(d, declared.Name, op, flows.around(i))
		if err != nil {
			return nil, fmt.Errorf("step %q: operation %q: %w", declared.Name, op.Name, err)
		}
		compiled.number(i)
		total += uint64(op.Weight)
		m.operations = append(m.operations, *compiled)
		m.bounds = append(m.bounds, total)
		m.stride = max(m.stride, compiled.numbers())
	}
	if total == 0 {
		return nil, fmt.Errorf("step %q has no operations", declared.Name)
	}
	if err := flows.compile(); err != nil {
		return nil, fmt.Errorf("step %q: %w", declared.Name, err)
	}
	m.watchInserts(d)
	return m, nil
}

// watchInserts lets the keys that are drawn by a Latest distribution know what the mix inserts.
func (m *Mix) watchInserts(d *Dataset) {
	for i := range m.operations {
		if m.declared[i].PartOf != "" {
			continue // How many operations came before it says nothing of how many inserts did.
		}
		parameters := m.operations[i].parameters
		for j := range parameters {
			if k := &parameters[j].key; k.growing != nil {
				k.newest = newNewest(m, d.collections[k.of.Name()], k.growing)
			}
		}
	}
}

// measureIndex counts from 1 which measured part comes after these steps.
func measureIndex(before []planv1.Step) int64 {
	index := int64(1)
	for _, step := range before {
		if step.Kind == planv1.StepMeasure {
			index += int64(max(1, len(step.Groups)))
		}
	}
	return index
}

// Operations are the operations of the mix as the plan declares them.
func (m *Mix) Operations() []planv1.Operation {
	return m.declared
}

// Draw fills in the request with this number, from 0, or for a warm-up from FirstWarmupNumber on. It may be called
// again for the same request once that is answered.
func (m *Mix) Draw(number int64, req *Request) { m.draw(m.pick(number), number, req) }

// Sample fills in a request of one operation of the mix, by its index, as Draw does for the request with this number
// where that is of the operation.
func (m *Mix) Sample(operation int, number int64, req *Request) { m.draw(operation, number, req) }

func (m *Mix) draw(operation int, number int64, req *Request) {
	op := &m.operations[operation]
	op.reset(req)
	req.Number = number
	op.drawParameters(number, req)
	if op.toCopies {
		op.chooseCopies(m.stream.At(number), req)
	}
	// Another revision for every operation of the run, so that no replacement finds its own bytes there already.
	m.fill(op, req, m.insertRecord(number), uint64(m.firstRecord+number+1))
}

func (m *Mix) fill(op *compiledOperation, req *Request, record int64, revision uint64) {
	op.fill(req, req, record, revision)
	for i := range op.parts {
		op.parts[i].fill(&req.Parts[i], req, record, revision)
	}
}

// Which is the operation, by its index, that Draw fills in for a number.
func (m *Mix) Which(number int64) int { return m.pick(number) }

// pick chooses the operation by the weights.
func (m *Mix) pick(number int64) int {
	last := len(m.bounds) - 1
	item, _ := bits.Mul64(uint64(m.stream.At(number)), m.bounds[last])
	for i, bound := range m.bounds[:last] {
		if item < bound {
			return i
		}
	}
	return last
}

// insertRecord is the first record number that the operation with this number may insert.
func (m *Mix) insertRecord(number int64) int64 {
	if number >= FirstWarmupNumber {
		return m.firstRecord + warmupHalf + (number-FirstWarmupNumber)*m.stride
	}
	return m.firstRecord + number*m.stride
}

// Dataset is a plan with the documents of its collections compiled, for loading and measuring alike.
type Dataset struct {
	plan        planv1.Plan
	collections map[string]collection
	// read is what was read of files.
	read []*records.Table
}

// collection is a collection's documents, what they were declared with, and how many of them are loaded. Those of a
// view are its source's, after which the generator is named.
type collection struct {
	name      string
	generator *document.Generator
	fields    []planv1.Field
	loaded    int64
	// keys are of what was found in the collection, in place of what is loaded; nil where documents are made here.
	keys *records.Table
	// copies are the collections that it stands for; nil where it is one.
	copies *copies
}

// keyed are the documents that a Key draws from.
type keyed interface {
	// Name of the collection.
	Name() string
	// FieldIndex finds a field by its name.
	FieldIndex(name string) (int, bool)
	// AppendValue appends the value of a field of the document with a record number, and returns its BSON type too.
	AppendValue(dst []byte, field int, record int64) (byte, []byte)
}

// keyed are those of the collection.
func (c collection) keyed() keyed {
	if c.keys != nil {
		return c.keys
	}
	return c.generator
}

// NewDataset compiles the collections of a plan. Of those that are Sampled the keys are unknown, and null, until Found
// tells them. What was read of files is given; of a file that was not, values are null.
func NewDataset(plan planv1.Plan, read ...*records.Table) (*Dataset, error) {
	d, sampled := &Dataset{plan: plan, collections: map[string]collection{}, read: read}, plan.SampledFields()
	for _, c := range plan.Stored() {
		generator, err := document.Compile(plan.Seed, c, read...)
		if err != nil {
			return nil, err
		}
		made := collection{name: c.Name, generator: generator, fields: c.Fields, loaded: c.DocumentCount}
		if c.Copies > 0 {
			made.copies = newCopies(c)
		}
		if fields := sampled[c.Name]; fields != nil {
			made.keys, made.fields, made.loaded = records.NewTable(c.Name, fields), nil, plan.Existing.SampledKeys
		}
		d.collections[c.Name] = made
	}
	return d, d.addViews()
}

// Found tells what was found in a collection that is Sampled.
func (d *Dataset) Found(keys *records.Table) {
	found := d.collections[keys.Name()]
	found.keys, found.loaded = keys, keys.Documents()
	d.collections[keys.Name()] = found
}

// addViews gives each view the documents of the collection that it is of, directly or by other views.
func (d *Dataset) addViews() error {
	for _, c := range d.plan.Collections {
		if c.View == nil {
			continue
		}
		source, ok := d.collections[d.plan.SourceOf(c.Name)]
		if !ok {
			return fmt.Errorf("view %q is of no collection of the dataset", c.Name)
		}
		source.name = c.Name
		d.collections[c.Name] = source
	}
	return nil
}

// at is the dataset once its first collection has been loaded with this many documents; 0 is as it was loaded first.
func (d *Dataset) at(documents int64) *Dataset {
	if documents == 0 || len(d.plan.Collections) == 0 {
		return d
	}
	later := &Dataset{plan: d.plan, collections: maps.Clone(d.collections), read: d.read}
	grown := d.plan.Collections[0].Name
	for name, c := range later.collections {
		if c.generator.Name() == grown {
			c.loaded = documents
			later.collections[name] = c
		}
	}
	return later
}

// Generator is what makes the documents of a collection; nil when the plan has no such collection.
func (d *Dataset) Generator(name string) *document.Generator {
	return d.collections[name].generator
}
