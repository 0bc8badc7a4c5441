// Package dashboards makes the Grafana dashboards of the chart: one of a run, one of a suite's history, one of all runs
// and the manager. They are made here rather than in Grafana, so that a query is written once, every panel has a unit
// and a description, and a test of hack/chart can hold them against the metrics that there are.
//
//	go test ./hack/chart/... -update   writes charts/mongobench-operator/dashboards
//
// It is not part of the operator and talks to no Grafana. The JSON is that of schema version 39, which Grafana 11 and
// later read. It imports internal/figure.
package dashboards
