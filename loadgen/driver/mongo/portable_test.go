package mongo_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestItDoesWhatEveryTargetDoes(t *testing.T) {
	for _, version := range mongotest.All() {
		for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientWire, benchv1alpha1.ClientDriver} {
			t.Run("mongod "+version+", client "+string(client), func(t *testing.T) {
				drivertest.Portable(t, open(t, mongotest.Shared(t, version)), "portable_"+string(client), client)
			})
		}
	}
}
