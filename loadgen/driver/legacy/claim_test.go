package legacy_test

import (
	"fmt"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestClaims(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		drivertest.CheckClaims(t, open(t, server, form), fmt.Sprintf("claims-%d", form))
	})
}

// TestOfTwoRunsOnlyOneLoadsIntoADatabase: also where the runs reach it by different protocols.
func TestOfTwoRunsOnlyOneLoadsIntoADatabase(t *testing.T) {
	server := mongotest.Shared(t, servers[0])
	declared := plan("rivals")
	declared.Dataset = "one"
	drivertest.CheckRivals(t, declared, [2]loadgen.Target{open(t, server, forms[0]), modern(t, server)})
}
