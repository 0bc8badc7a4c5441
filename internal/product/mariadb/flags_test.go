package mariadb

import (
	"path/filepath"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestFlags writes the flags down. A test of package loadgen/mariadb starts the real server with them, and asks
// whether they are in force.
func TestFlags(t *testing.T) {
	myRocks := targettest.MariaDB("bench", "rows")
	myRocks.Spec.MariaDB.Durability = new(benchv1alpha1.DurabilityOSCache)
	myRocks.Spec.MariaDB.MariaDBSpec = benchv1alpha1.MariaDBSpec{
		Engine: new(benchv1alpha1.MariaDBMyRocks), BufferPoolMebibytes: new(int64(128)),
	}
	myRocks.Spec.MariaDB.Parameters = []benchv1alpha1.ServerParameter{{Name: "rocksdb_max_background_jobs", Value: "2"}}
	plugin := targettest.HandlerSocket("bench", "rows")
	plugin.Spec.MariaDB.HandlerSocket.ReadThreads = new(int32(2))
	for name, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"innodb.txt": targettest.MariaDB("bench", "rows"), "myrocks.txt": myRocks, "handlersocket.txt": plugin,
	} {
		t.Run(name, func(t *testing.T) {
			MariaDB{}.Normalise(&target.Spec)
			product.Surroundings(&target.Spec.MariaDB.Deployment)
			got := strings.Join(serverFlags(target.Spec, MariaDB{}.Sets(target.Spec)[0]), "\n") + "\n"
			golden.Compare(t, filepath.Join("../../testing/serverflags/mariadb", name), got)
		})
	}
}
