package workload

import (
	"errors"
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

const (
	// mostRequests is the most that one execution of a flow may send.
	mostRequests = int64(benchv1alpha1.MaxFlowRequests)
	// mostInserted is the most documents that it may insert.
	mostInserted = 1_000_000
	// mostCarried bounds how often a part that sends nothing itself is carried out.
	mostCarried = mostRequests * mostRequests
)

// flow is a Flow, or a Transaction of parts: what is carried out one after the other.
type flow struct {
	parts []part
	// most requests of an execution.
	most int64
	// loops says that a part leads back to one before it, so that the execution ends by its number of requests.
	loops bool
}

// part is an operation that is a part of a flow.
type part struct {
	// operation is its index in the mix, and name that of the operation.
	operation int
	name      string
	// inside are the parts of what is a flow itself; nil for a request.
	inside      *flow
	transaction bool
	when, while *asked
	// turns is the most of them; each and as are slots, or none.
	turns    int64
	each, as int
	captures []capture
	checks   []*asked
	next     []way
	chosen   stream.Stream
	// most is how often it is carried out in an execution of the outermost flow, and numbers the first of the record
	// numbers of what it inserts, among those of the flow.
	most, numbers int64
}

// way is a transition: to a part by its place in the flow, or to the end of it. Bound is the sum of the weights up to
// and including this one.
type way struct {
	to    int
	bound uint64
}

// root is an operation of the mix that is a flow, with the slots of its values.
type root struct {
	flow
	transaction bool
	// parameters is how many are the flow's own; its parts have them before theirs.
	parameters int
	// forgotten are the slots that are empty when an execution begins.
	forgotten []int
	names     map[string]int
}

// isFlow says whether an operation consists of operations of the mix rather than of requests of its own.
func isFlow(declared *planv1.Operation) bool {
	return declared.Kind == benchv1alpha1.OperationFlow ||
		declared.Kind == benchv1alpha1.OperationTransaction && len(declared.Operations) == 0
}

// flows compiles those of a mix.
type flows struct {
	mix      *Mix
	declared []planv1.Operation
	step     string
	// slots have names, for messages, and those of state their first values.
	slots []initial
}

// initial is a slot before the first execution.
type initial struct {
	name  string
	value slot
}

// rootOf is the index of the operation of the mix that another is a part of in the end.
func rootOf(declared []planv1.Operation, index int) (int, error) {
	for range declared {
		whole := declared[index].PartOf
		if whole == "" {
			return index, nil
		}
		at := slices.IndexFunc(declared, func(o planv1.Operation) bool { return o.Name == whole })
		if at < 0 || !isFlow(&declared[at]) {
			return 0, fmt.Errorf("partOf %q is no Flow, and no Transaction without operations", whole)
		}
		index = at
	}
	return 0, errors.New("it is a part of itself")
}

// prepare finds the flows of a mix, and gives each name of a value a slot.
func (f *flows) prepare() error {
	f.mix.roots = make([]*root, len(f.declared))
	for i := range f.declared {
		of, err := rootOf(f.declared, i)
		if err != nil {
			return fmt.Errorf("operation %q: %w", f.declared[i].Name, err)
		}
		if !isFlow(&f.declared[of]) {
			continue
		}
		if f.mix.roots[of] == nil {
			whole := &f.declared[of]
			f.mix.roots[of] = &root{
				transaction: whole.Kind == benchv1alpha1.OperationTransaction, parameters: len(whole.Parameters),
				names: map[string]int{},
			}
		}
		if err := f.name(f.mix.roots[of], &f.declared[i]); err != nil {
			return fmt.Errorf("operation %q: %w", f.declared[i].Name, err)
		}
	}
	return nil
}

// name gives the names of an operation of a flow their slots.
func (f *flows) name(of *root, declared *planv1.Operation) error {
	for _, state := range declared.State {
		if declared.PartOf != "" {
			return errors.New("state is the outermost Flow's")
		}
		value, err := constantSlot(state.Value)
		if err != nil {
			return fmt.Errorf("state %q: %w", state.Name, err)
		}
		of.names[state.Name] = len(f.slots)
		f.slots = append(f.slots, initial{name: state.Name, value: value})
	}
	names := make([]string, 0, len(declared.Captures)+1)
	for _, captured := range declared.Captures {
		names = append(names, captured.Name)
	}
	if declared.Repeat != nil && declared.Repeat.As != "" {
		names = append(names, declared.Repeat.As)
	}
	for _, name := range names {
		if _, known := of.names[name]; known {
			continue
		}
		of.names[name] = len(f.slots)
		of.forgotten = append(of.forgotten, len(f.slots))
		f.slots = append(f.slots, initial{name: name})
	}
	return nil
}

// compile compiles the flows once the operations of the mix are.
func (f *flows) compile() error {
	for i, of := range f.mix.roots {
		if of == nil {
			continue
		}
		inside, err := f.inside(i, of)
		if err != nil {
			return fmt.Errorf("operation %q: %w", f.declared[i].Name, err)
		}
		of.flow = *inside
		if of.most > mostRequests {
			return fmt.Errorf("operation %q: an execution may send %d requests; at most %d are possible",
				f.declared[i].Name, of.most, mostRequests)
		}
		numbers := of.number(f.mix, of.most, 1, 0)
		if numbers > mostInserted {
			return fmt.Errorf("operation %q: an execution may insert %d documents; at most %d are possible",
				f.declared[i].Name, numbers, mostInserted)
		}
		f.mix.stride = max(f.mix.stride, numbers)
		f.mix.operations[i].markUsed(f.mix.operations, of)
	}
	f.mix.slots = f.slots
	return nil
}

// surroundings are what an operation finds in the flow that it is a part of.
type surroundings struct {
	// whole is the outermost flow; nil for an operation that is no part.
	whole *planv1.Operation
	names map[string]int
}

func (f *flows) around(index int) surroundings {
	if f.declared[index].PartOf == "" {
		return surroundings{}
	}
	of, err := rootOf(f.declared, index)
	if err != nil {
		return surroundings{} // Prepare has refused it.
	}
	return surroundings{&f.declared[of], f.mix.roots[of].names}
}

// compileParameters compiles parameters that draw from a collection.
func (op *compiledOperation) compileParameters(
	d *Dataset, step string, c collection, declared []planv1.Parameter,
) error {
	for i := len(op.parameters); i < len(declared); i++ {
		compiled, err := compileParameter(d, step, c, declared[:i+1])
		if err != nil {
			return fmt.Errorf("parameter %q: %w", declared[i].Name, err)
		}
		op.parameters = append(op.parameters, compiled)
	}
	return nil
}

// within compiles the parameters of a part of a flow: those of the flow, and then its own.
func (op *compiledOperation) within(
	d *Dataset, step string, declared, whole *planv1.Operation,
) (*planv1.Operation, error) {
	within := *declared
	within.Parameters = slices.Concat(whole.Parameters, declared.Parameters)
	tied := []string{declared.ReplaceKey}
	for _, own := range declared.Parameters {
		if indexOf(whole.Parameters, own.Name) >= 0 {
			return nil, fmt.Errorf("parameter %q: the flow has one of this name", own.Name)
		}
		tied = append(tied, own.SameRecordAs, own.PlusParameter)
	}
	for _, name := range tied {
		if indexOf(whole.Parameters, name) >= 0 && whole.Collection != declared.Collection {
			return nil, fmt.Errorf("parameter %q of the flow draws from another collection", name)
		}
	}
	if err := op.compileParameters(d, step, d.collections[whole.Collection], whole.Parameters); err != nil {
		return nil, err
	}
	return &within, op.compileParameters(d, step, d.collections[declared.Collection], within.Parameters)
}

// inside compiles the parts of an operation.
func (f *flows) inside(whole int, of *root) (*flow, error) {
	name := f.declared[whole].Name
	compiled := &flow{}
	var places []int
	for i := range f.declared {
		if f.declared[i].PartOf == name {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return nil, errors.New("it has no parts; name it with partOf of other operations")
	}
	for _, i := range places {
		one, err := f.part(i, of)
		if err == nil {
			err = f.transitions(one, places, compiled)
		}
		if err != nil {
			return nil, fmt.Errorf("part %q: %w", f.declared[i].Name, err)
		}
		compiled.parts = append(compiled.parts, *one)
	}
	return compiled, compiled.bound(f.declared[whole].MaxRequests)
}

// part compiles a part without where it leads to.
func (f *flows) part(index int, of *root) (*part, error) {
	declared := &f.declared[index]
	one := &part{
		operation: index, name: declared.Name, turns: 1, each: none, as: none,
		transaction: declared.Kind == benchv1alpha1.OperationTransaction,
		chosen:      stream.New(f.mix.seed, "next\x00"+f.step+"\x00"+declared.Name),
	}
	var err error
	switch row := operation.Of(declared.Kind); {
	case isFlow(declared) && len(declared.Parameters) > 0:
		return nil, errors.New("parameters are the outermost Flow's, or those of a request")
	case isFlow(declared):
		if one.inside, err = f.inside(index, of); err != nil {
			return nil, err
		}
	case declared.Kind == benchv1alpha1.OperationTransaction:
	case row.Takes(operation.MaxAwaitMillis):
		return nil, fmt.Errorf("a %s waits for news, and is no part of a flow", declared.Kind)
	}
	if one.when, err = f.ask(of, declared.When); err != nil {
		return nil, fmt.Errorf("when: %w", err)
	}
	if err := f.repeat(one, of, declared.Repeat); err != nil {
		return nil, fmt.Errorf("repeat: %w", err)
	}
	for _, check := range declared.Checks {
		asked, err := f.ask(of, check.That)
		if err != nil || asked == nil {
			return nil, fmt.Errorf("check %q: %w", check.Name, orMissing(err))
		}
		one.checks = append(one.checks, asked)
	}
	one.captures, err = compileCaptures(of, declared)
	return one, err
}

func orMissing(err error) error {
	if err == nil {
		return errors.New("the condition is missing")
	}
	return err
}

// repeat compiles how often a part is carried out.
func (f *flows) repeat(one *part, of *root, declared *benchv1alpha1.Repeat) (err error) {
	if declared == nil {
		return nil
	}
	if declared.Limit < 1 || int64(declared.Limit) > mostRequests {
		return fmt.Errorf("the limit is %d, not 1 to %d", declared.Limit, mostRequests)
	}
	one.turns = int64(declared.Limit)
	if declared.As != "" {
		one.as = of.names[declared.As]
	}
	if declared.Each != "" {
		place, known := of.names[declared.Each]
		if !known || one.as == none {
			return fmt.Errorf("each %q is no captured value, or as is missing", declared.Each)
		}
		one.each = place
	}
	one.while, err = f.ask(of, declared.While)
	return err
}

// transitions compiles where a part leads to, among those with these places in the mix.
func (f *flows) transitions(one *part, places []int, of *flow) error {
	var total uint64
	for _, declared := range f.declared[one.operation].Next {
		to := len(places)
		if declared.To != "" {
			to = slices.IndexFunc(places, func(i int) bool { return f.declared[i].Name == declared.To })
		}
		if to < 0 || declared.Weight < 1 {
			return fmt.Errorf("next: %q is no part of the same flow, or the weight is not at least 1", declared.To)
		}
		total += uint64(declared.Weight)
		one.next = append(one.next, way{to: to, bound: total})
		of.loops = of.loops || to <= slices.Index(places, one.operation)
	}
	return nil
}
