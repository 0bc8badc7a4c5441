package mongo_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestEveryClientReachesAServerByIPv6 has each client load and read where there is no IPv4.
func TestEveryClientReachesAServerByIPv6(t *testing.T) {
	for _, version := range mongotest.Versions() {
		server := mongotest.StartIPv6(t, version)
		for _, client := range everyClient {
			t.Run(version+" "+string(client), func(t *testing.T) {
				plan := planOf("ipv6", planv1.Step{Threads: 2, OperationCount: 20, Operations: []planv1.Operation{
					{Name: "read", Request: planv1.Request{Kind: "FindOne", Filter: "{}"}},
				}})
				plan.Client = client
				reports, err := drivertest.Run(t.Context(), plan, open(t, server))
				if err != nil {
					t.Fatal(err)
				}
				steps := reports[0].Steps
				measured := steps[len(steps)-1].Operations[0]
				if measured.Count != 20 || measured.Errors > 0 {
					t.Errorf("%d reads succeeded and %d failed", measured.Count, measured.Errors)
				}
			})
		}
	}
}
