package mongo_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestItDoesWhatEveryTargetDoes(t *testing.T) {
	for _, version := range mongotest.All() {
		for _, client := range everyClient {
			t.Run("mongod "+version+", client "+string(client), func(t *testing.T) {
				drivertest.Portable(t, open(t, mongotest.Shared(t, version)), "portable_"+string(client), client)
			})
		}
	}
}
