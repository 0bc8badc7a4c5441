package workload

import (
	"math/bits"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// copies are the collections that one of the plan stands for.
type copies struct {
	of    planv1.Collection
	names []string
}

func newCopies(of planv1.Collection) *copies {
	c := &copies{of: of, names: make([]string, of.Number())}
	for i := range c.names {
		c.names[i] = of.NameOf(int64(i))
	}
	return c
}

// copyPoint is the further value of an operation's point that chooses a copy where no record does.
const copyPoint = 1

// findChooser finds what the operation chooses one of several copies by: the first Key, of the operation's collection,
// that draws a record.
func (op *compiledOperation) findChooser(c collection) {
	op.chooser = none
	op.toCopies = op.copies != nil
	for i := range op.parts {
		op.toCopies = op.toCopies || op.parts[i].copies != nil
	}
	if !op.toCopies || c.copies == nil {
		return
	}
	for i := range op.parameters {
		if p := &op.parameters[i]; p.used && p.fresh == nil && p.tied == none {
			op.chooser = i
			return
		}
	}
}

// chooseCopies sends a drawn request to one of the copies. Of collections with as many copies, all parts go to those of
// the same index.
func (op *compiledOperation) chooseCopies(point stream.Point, req *Request) {
	chosen := point.Value(copyPoint)
	index := -1
	if op.chooser != none {
		index = int(op.copies.of.CopyOf(req.parameters[op.chooser].record))
	}
	name := func(c *copies) string {
		if index < 0 {
			at, _ := bits.Mul64(chosen, uint64(len(c.names)))
			return c.names[at]
		}
		return c.names[index%len(c.names)]
	}
	if op.copies != nil {
		req.Collection = name(op.copies)
	}
	for i := range op.parts {
		if op.parts[i].copies != nil {
			req.Parts[i].Collection = name(op.parts[i].copies)
		}
	}
}
