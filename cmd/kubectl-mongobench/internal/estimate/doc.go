// Package estimate reckons what a run or a suite will take, before anything of it is there.
//
//	files ──Read──▶ Objects ──▶ Run ─┬─ pods with their requests, limits and volumes
//	                      └──▶ Suite ├─ bytes of the dataset
//	                                 └─ least time ──Write──▶ text
//	cluster ──ReadNodes──▶ nodes, and what is taken of them
//	pods, nodes ──Fits──▶ yes, no, not now, or perhaps
//
// All but Read and ReadNodes is pure. What a user may not see of the nodes is said, and never taken for empty; their
// arithmetic is that of internal/capacity, which the operator reckons with before it makes a target, too. What is
// certain is reckoned from the plan that load pods would be given; what depends on the machines, such as the time of a
// load, is told from a finished run, which is named, or not at all. What is left out is in the estimate as well, in
// words.
//
// The pods are those that the operator would make: its decision lies in packages that only the operator imports, so
// that the arithmetic is here once more, and a test holds the two against each other for every sample. It imports api,
// loadgen/document for the size of documents, cli-runtime for files, internal/present, a reader of controller-runtime,
// and package cluster beside it.
package estimate
