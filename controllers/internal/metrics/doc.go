// Package metrics holds what the manager says of its own work, besides what controller-runtime says already
// (reconciles, their errors and times, the queues). Labels take a bounded set of values: a kind, a stage, a reason;
// never a name.
//
// Results of benchmarks are not here: they are data, kept in reports. It imports Prometheus's client and
// controller-runtime's registry.
package metrics
