// Package metrics holds what the manager says of its own work, besides what controller-runtime says already
// (reconciles, their errors and times, the queues). Labels take a bounded set of values: a kind, a stage, a reason;
// never a name.
//
// Results of benchmarks are in controllers/results, which reads them at each scrape. It imports Prometheus's client and
// controller-runtime's registry.
package metrics
