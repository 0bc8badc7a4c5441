package mongo_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestClaims(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			database(t, server, "claims")
			drivertest.CheckClaims(t, open(t, server), "claims")
		})
	}
}

func TestOfTwoRunsOnlyOneLoadsIntoADatabase(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := mongotest.Shared(t, version)
			database(t, server, "rivals")
			plan := planOf("rivals", planv1.Step{})
			plan.Dataset = "one"
			drivertest.CheckRivals(t, plan, [2]loadgen.Target{open(t, server), open(t, server)})
		})
	}
}
