// Package sizes measures whether searches for the smallest variant find what a whole matrix says.
//
//	make e2e-sizes [SIZES_SEARCHES=10]
//
// It measures the matrix of config/samples/smallest.yaml, with shorter steps, five times each: the smallest choice of
// which the median run keeps the constraints is the true one. Then it has suites search for it, each with keys of its
// own. Nine of ten must name that choice or a neighbour of it, with a third of the matrix's runs at most. Printed are
// lines `FIGURE name value unit`, and a table of both.
//
// It needs a cluster that is quiet, takes about an hour, and has the build tag sizes. It knows the operator from
// outside, as hack/e2e does.
package sizes
