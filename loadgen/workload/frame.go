package workload

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/internal/condition"
)

// FlowError is why a flow ended whose requests went well: the flow itself is wrong for the answers that came.
type FlowError struct {
	part, what string
}

func (e *FlowError) Error() string { return fmt.Sprintf("part %q of the flow: %s", e.part, e.what) }

// Frame is what one worker keeps of the flows of a mix: the values that were captured, and the state that goes on from
// one execution to the next. Once its buffers have grown to what the flows need, an execution allocates nothing.
type Frame struct {
	mix   *Mix
	slots []slot
	// counts are how often each operation of the mix was carried out in the present execution, and sent how many requests
	// were.
	counts []int64
	sent   int64
	// request is that of the part under way.
	request Request
	taking  Taking
	// whole is the request of the flow, and number that of the operation.
	whole  *Request
	number int64
	// asked is the condition under way; value is valueOf, made once.
	asked *asked
	value func(name int) condition.Value
	// saved are the slots, and the counts, as they were before a transaction, which may be done again.
	saved       []slot
	savedCounts []int64
}

// NewFrame is for one worker; nil for a mix without flows, and for none, as of a recording.
func (m *Mix) NewFrame() *Frame {
	if m == nil || m.slots == nil && !m.hasFlows() {
		return nil
	}
	f := &Frame{mix: m, slots: make([]slot, len(m.slots)), counts: make([]int64, len(m.operations))}
	for i := range m.slots {
		f.slots[i].set(m.slots[i].value.bsonType, m.slots[i].value.value)
	}
	f.value, f.taking.frame = f.valueOf, f
	return f
}

func (m *Mix) hasFlows() bool {
	for _, of := range m.roots {
		if of != nil {
			return true
		}
	}
	return false
}

// bytes is how much is captured.
func (f *Frame) bytes() int {
	all := 0
	for i := range f.slots {
		all += len(f.slots[i].value)
	}
	return all
}

func (f *Frame) tooLarge() error {
	return &FlowError{f.taking.part.name, fmt.Sprintf("what is captured takes more than %d bytes; capture less of the "+
		"documents, with a path", MaxCapturedBytes)}
}

// save keeps the values as they are before a transaction.
func (f *Frame) save() {
	if f.saved == nil {
		f.saved, f.savedCounts = make([]slot, len(f.slots)), make([]int64, len(f.counts))
	}
	copySlots(f.saved, f.slots)
	copy(f.savedCounts, f.counts)
}

// restore brings them back.
func (f *Frame) restore() {
	copySlots(f.slots, f.saved)
	copy(f.counts, f.savedCounts)
}

func copySlots(into, from []slot) {
	for i := range from {
		into[i].set(from[i].bsonType, from[i].value)
	}
}

// asked is a condition whose names stand for slots, or for parameters of the flow.
type asked struct {
	condition *condition.Condition
	sources   []source
}

// source is a slot, or where there is none a parameter.
type source struct{ slot, parameter int }

// ask binds a condition; nil for none.
func (f *flows) ask(of *root, text string) (*asked, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // That there is none is no error.
	}
	parsed, err := condition.Parse(text)
	if err != nil {
		return nil, err
	}
	bound := &asked{condition: parsed}
	whole := f.wholeOf(of)
	for _, name := range parsed.Names() {
		place, known := of.names[name]
		if !known {
			place = none
		}
		parameter := indexOf(f.declared[whole].Parameters, name)
		if !known && parameter < 0 {
			return nil, fmt.Errorf("%q is neither captured, nor state, nor a parameter of the flow", name)
		}
		bound.sources = append(bound.sources, source{place, parameter})
	}
	return bound, nil
}

// wholeOf is the index of a flow in the mix.
func (f *flows) wholeOf(of *root) int {
	for i := range f.mix.roots {
		if f.mix.roots[i] == of {
			return i
		}
	}
	return 0
}

// mark marks the parameters that a condition asks for.
func (a *asked) mark(op *compiledOperation) {
	if a == nil {
		return
	}
	for _, from := range a.sources {
		if from.slot == none {
			op.parameters[from.parameter].used = true
		}
	}
}

// holds says whether a condition holds; one that there is not does.
func (f *Frame) holds(a *asked) bool {
	if a == nil {
		return true
	}
	f.asked = a
	return a.condition.Holds(f.value)
}

func (f *Frame) valueOf(name int) condition.Value {
	from := f.asked.sources[name]
	if from.slot != none {
		s := &f.slots[from.slot]
		return conditionValue(s.bsonType, s.value)
	}
	drawn := &f.whole.parameters[from.parameter]
	return conditionValue(bson.Type(drawn.bsonType), f.whole.values[drawn.start:drawn.end])
}
