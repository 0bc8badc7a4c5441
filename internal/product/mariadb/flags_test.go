package mariadb

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFlags writes the flags down. A test of package loadgen/mariadb starts the real server with them, and asks
// whether they are in force.
func TestFlags(t *testing.T) {
	myRocks := targettest.MariaDB("bench", "rows")
	myRocks.Spec.Durability = new(benchv1alpha1.DurabilityOSCache)
	myRocks.Spec.MariaDB = &benchv1alpha1.MariaDBSpec{
		Engine: new(benchv1alpha1.MariaDBMyRocks), BufferPoolMebibytes: new(int64(128)),
	}
	myRocks.Spec.Parameters = []benchv1alpha1.ServerParameter{{Name: "rocksdb_max_background_jobs", Value: "2"}}
	plugin := targettest.HandlerSocket("bench", "rows")
	plugin.Spec.MariaDB.HandlerSocket.ReadThreads = new(int32(2))
	for golden, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"innodb.txt": targettest.MariaDB("bench", "rows"), "myrocks.txt": myRocks, "handlersocket.txt": plugin,
	} {
		t.Run(golden, func(t *testing.T) {
			MariaDB{}.Normalise(&target.Spec)
			product.Surroundings(&target.Spec)
			got := strings.Join(serverFlags(target.Spec, MariaDB{}.Sets(target.Spec)[0]), "\n") + "\n"
			file := filepath.Join("testdata", "flags", golden)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("flags differ from %s (-want +got); -update rewrites it:\n%s", file, diff)
			}
		})
	}
}
