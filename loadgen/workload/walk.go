package workload

import (
	"fmt"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/internal/operation"
)

// Counts are what an answer said of documents, as loadgen.Reply has them.
type Counts struct {
	Documents, Inserted, Matched, Modified, Deleted int64
}

// Sender sends the requests of a flow.
type Sender interface {
	// Send sends a request, and has its Taking take the documents that came. What it returns ends the flow.
	Send(request *Request) (Counts, error)
	// Transact does what body does within a transaction, as the request declares it. It may call body again.
	Transact(request *Request, body func() error) error
	// Enter and Leave are called before and after a part that is a flow itself, Leave with a request that says what it is.
	Enter(operation int)
	Leave(request *Request, err error)
	// Check is told whether a check of an operation, by its index, held.
	Check(operation, check int, held bool)
}

// IsFlow says whether a request that was drawn is carried out by Run, and not sent.
func (m *Mix) IsFlow(request *Request) bool { return m.roots[request.Operation] != nil }

// Run carries out a flow, whose request was drawn with this number.
func (m *Mix) Run(number int64, whole *Request, f *Frame, to Sender) error {
	of := m.roots[whole.Operation]
	for _, place := range of.forgotten {
		f.slots[place].forget()
	}
	clear(f.counts)
	f.whole, f.number, f.sent = whole, number, 0
	f.request.parameters = append(f.request.parameters[:0], whole.parameters...)
	f.request.values = append(f.request.values[:0], whole.values...)
	w := walk{Frame: f, root: of, to: to}
	if of.transaction {
		return w.transact(&of.flow, whole)
	}
	return w.carryOut(&of.flow)
}

// walk is one execution of a flow.
type walk struct {
	*Frame

	root *root
	to   Sender
}

// carryOut carries out the parts of a flow.
func (w walk) carryOut(f *flow) error {
	before, carried := w.sent, int64(0)
	for at := 0; at < len(f.parts); {
		p := &f.parts[at]
		if f.loops && (carried >= f.most || w.sent-before+p.requests() > f.most) {
			return nil
		}
		carried++
		turns := int64(0)
		if w.holds(p.when) {
			var err error
			if turns, err = w.repeat(p); err != nil {
				return err
			}
		}
		if at++; turns > 0 && len(p.next) > 0 {
			at = w.choose(p)
		}
	}
	return nil
}

// choose draws where a part leads to.
func (w walk) choose(p *part) int {
	last := len(p.next) - 1
	point := p.chosen.At(w.number*p.most + w.counts[p.operation] - 1)
	item, _ := bits.Mul64(uint64(point), p.next[last].bound)
	for i := range p.next[:last] {
		if item < p.next[i].bound {
			return p.next[i].to
		}
	}
	return p.next[last].to
}

// repeat carries out a part as often as it says, and returns how often.
func (w walk) repeat(p *part) (turn int64, err error) {
	for ; turn < p.turns; turn++ {
		switch {
		case p.each != none:
			array := &w.slots[p.each]
			if array.bsonType != bson.TypeArray {
				return turn, nil
			}
			bsonType, element := elementAt(array.value, turn)
			if bsonType == 0 {
				return turn, nil
			}
			w.slots[p.as].set(bsonType, element)
		case p.as != none:
			w.slots[p.as].setNumber(turn)
		}
		if !w.holds(p.while) {
			return turn, nil
		}
		if err := w.once(p); err != nil {
			return turn, err
		}
		for i, check := range p.checks {
			w.to.Check(p.operation, i, w.holds(check))
		}
	}
	return turn, nil
}

// once carries out a part once.
func (w walk) once(p *part) error {
	w.counts[p.operation]++
	if p.inside == nil {
		return w.send(p)
	}
	w.to.Enter(p.operation)
	declared := &w.mix.operations[p.operation].fixed
	var err error
	if p.transaction {
		err = w.transact(p.inside, declared)
	} else {
		err = w.carryOut(p.inside)
	}
	w.to.Leave(declared, err)
	return err
}

// transact carries out a flow in a transaction. When that is done again, it begins with the same values.
func (w walk) transact(f *flow, declared *Request) error {
	w.save()
	again := false
	return w.to.Transact(declared, func() error {
		if again {
			w.restore()
		}
		again = true
		return w.carryOut(f)
	})
}

// send draws the request of a part, and sends it.
func (w walk) send(p *part) error {
	op := &w.mix.operations[p.operation]
	number := w.number*p.most + w.counts[p.operation] - 1
	r := &w.request
	op.resume(r, w.root.parameters)
	for i := w.root.parameters; i < len(op.parameters); i++ {
		op.parameters[i].drawOrSkip(number, r)
	}
	r.frame, r.missing = w.Frame, none
	record := w.mix.insertRecord(w.number) + p.numbers + (w.counts[p.operation]-1)*op.numbers()
	w.mix.fill(op, r, record, uint64(w.mix.firstRecord+number+1))
	if r.missing != none {
		return &FlowError{p.name, fmt.Sprintf("its documents need the captured %q, which has no value; capture it with an "+
			"otherwise, or carry the part out when has(%s)", w.mix.slots[r.missing].name, w.mix.slots[r.missing].name)}
	}
	r.Taking = nil
	if len(p.captures) > 0 {
		r.Taking = &w.taking
		w.taking.begin(p)
		if op.fixed.Kind.Row().Effect == operation.Inserts {
			for _, document := range r.Documents {
				w.taking.Document(document)
			}
		}
	}
	w.sent++
	counts, err := w.to.Send(r)
	if err != nil || r.Taking == nil {
		return err
	}
	return w.taking.end(counts)
}
