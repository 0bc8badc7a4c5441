package workload

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// requests is how many a part sends each time at most.
func (p *part) requests() int64 {
	if p.inside == nil {
		return p.turns
	}
	return p.turns * p.inside.most
}

// bound finds out how many requests an execution sends at most.
func (f *flow) bound(declared int32) error {
	var all, largest int64
	for i := range f.parts {
		all += f.parts[i].requests()
		largest = max(largest, f.parts[i].requests())
	}
	if f.most = all; !f.loops {
		return nil
	}
	if f.most = int64(declared); declared == 0 {
		f.most = int64(benchv1alpha1.DefaultFlowRequests)
	}
	if f.most < largest {
		return fmt.Errorf("maxRequests is %d, and one of the parts may send %d", f.most, largest)
	}
	return nil
}

// number gives the parts what they need of numbers, where the outermost flow sends so many requests at most and this
// one is carried out so often; it returns the end of the record numbers, which begin at an offset.
func (f *flow) number(m *Mix, requests, times, offset int64) int64 {
	if f.loops {
		times = requests
	}
	for i := range f.parts {
		p := &f.parts[i]
		each := min(requests, times*p.turns)
		if p.inside != nil {
			p.most = mostCarried
			offset = p.inside.number(m, requests, each, offset)
			continue
		}
		p.most, p.numbers = each, offset
		offset += each * m.operations[p.operation].numbers()
	}
	return offset
}

// markUsed marks the parameters of a flow that its parts use.
func (op *compiledOperation) markUsed(operations []compiledOperation, of *root) {
	var mark func(*flow)
	mark = func(f *flow) {
		for i := range f.parts {
			p := &f.parts[i]
			if p.inside != nil {
				mark(p.inside)
			}
			for _, asked := range append([]*asked{p.when, p.while}, p.checks...) {
				asked.mark(op)
			}
			for j := range operations[p.operation].parameters[:min(of.parameters, len(operations[p.operation].parameters))] {
				op.parameters[j].used = op.parameters[j].used || operations[p.operation].parameters[j].used
			}
		}
	}
	mark(&of.flow)
	op.markTied()
}
