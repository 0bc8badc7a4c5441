package mariadb_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

func TestBufferPoolMebibytes(t *testing.T) {
	inMemory := func(size string) *benchv1alpha1.StorageSpec {
		return targettest.Directory(corev1.StorageMediumMemory, size)
	}
	tests := map[string]struct {
		memory string
		spec   benchv1alpha1.MariaDBTarget
		want   int64
	}{
		"half of the limit": {memory: "1Gi", want: 512},
		"the least":         {memory: "100Mi", want: 64},
		"a quarter for MyRocks": {
			memory: "1Gi",
			spec: benchv1alpha1.MariaDBTarget{
				MariaDBSpec: benchv1alpha1.MariaDBSpec{Engine: new(benchv1alpha1.MariaDBMyRocks)},
			},
			want: 256,
		},
		"a volume in memory is apart": {
			memory: "4Gi",
			spec:   benchv1alpha1.MariaDBTarget{Deployment: benchv1alpha1.Deployment{Storage: inMemory("2Gi")}},
			want:   1024,
		},
		"what is declared": {
			memory: "1Gi",
			spec: benchv1alpha1.MariaDBTarget{
				MariaDBSpec: benchv1alpha1.MariaDBSpec{BufferPoolMebibytes: new(int64(100))},
			},
			want: 100,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			normal := spec.NormaliseTarget(benchv1alpha1.BenchmarkTargetSpec{MariaDB: &tc.spec})
			if got := mariadb.BufferPoolMebibytes(normal, resource.MustParse(tc.memory)); got != tc.want {
				t.Errorf("got %d MiB, want %d", got, tc.want)
			}
		})
	}
}
