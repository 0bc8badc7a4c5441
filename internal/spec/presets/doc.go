// Package presets writes out what a run's preset stands for, as a dataset and a workload of the API: the core workloads
// of YCSB, from the parameters that YCSB's property files have (what differs from YCSB, and why, is in
// docs/how-to/writing-a-run.md), and the ready workloads of config/samples/workloads, of which each file is a preset.
//
// It is pure: it draws nothing and asks no server, and the same preset gives the same specification. It is not the
// place for the distributions themselves, which the load generator draws from, nor for checks that any dataset or
// workload needs. It imports the API, the samples, apimachinery's field errors, a reader of YAML and the
// standard library.
package presets
