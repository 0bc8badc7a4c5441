package sql_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

func TestItDoesWhatEveryTargetDoes(t *testing.T) {
	eachClient(t, func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client) {
		t.Helper()
		drivertest.Portable(t, open(t, server.URI()), "portable_"+string(client), client)
	})
}
