package sql_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

func TestClaims(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		target := open(t, server.URI())
		drivertest.CheckClaims(t, target, "claims")
		if held, err := target.Holds(t.Context(), "claims"); err != nil || len(held) > 0 {
			t.Errorf("the database is said to hold %v, %v", held, err)
		}
	})
}

func TestOfTwoRunsOnlyOneLoadsIntoADatabase(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		plan := planOf("rivals", benchv1alpha1.ClientPrepared)
		drivertest.CheckRivals(t, plan, [2]loadgen.Target{open(t, server.URI()), open(t, server.URI())})
	})
}
