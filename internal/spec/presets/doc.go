// Package presets writes out what a run's preset stands for: the core workloads of YCSB, as a dataset and a workload of
// the API, from the parameters that YCSB's property files have. What differs from YCSB, and why, is in
// docs/how-to/writing-a-run.md.
//
// It is pure: it draws nothing and asks no server, and the same preset gives the same specification. It is not the
// place for the distributions themselves, which the load generator draws from, nor for checks that any dataset or
// workload needs. It imports the API, apimachinery's field errors and the standard library.
package presets
