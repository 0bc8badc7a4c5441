package v1alpha1

import "iter"

// Mix are the operations of the mix, without the parts of its flows: what sums over a step's operations are of.
func (s Step) Mix() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		for _, operation := range s.Operations {
			if operation.PartOf == "" && !yield(operation) {
				return
			}
		}
	}
}
