package settings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

func TestWhichImagesMayBeNamed(t *testing.T) {
	some := settings.Images{"docker.io/library/mongo", "registry.example.com/bench/*", "percona/mongo"}
	for image, tc := range map[string]struct {
		allowed settings.Images
		want    bool
	}{
		"anything.example.com/at/all:1":                {nil, true},
		"mongo:6.0.5":                                  {some, true},
		"library/mongo":                                {some, true},
		"docker.io/library/mongo@sha256:0123":          {some, true},
		"docker.io/percona/mongo:1":                    {some, true},
		"registry.example.com/bench/loadgen:1@sha256:": {some, true},
		"registry.example.com/bench/deep/er":           {some, true},
		"registry.example.com/bench":                   {some, false},
		"registry.example.com/benchmark/x":             {some, false},
		"registry.example.com:5000/bench/x":            {some, false},
		"other/mongo":                                  {some, false},
		"docker.io.example.com/library/mongo":          {some, false},
		"mongo.evil:1/mongo":                           {some, false},
		"evil.example.com/x:mongo":                     {settings.Images{"*"}, false},
	} {
		t.Run(image, func(t *testing.T) {
			errs := tc.allowed.Refuse(benchv1alpha1.BenchmarkRunSpec{
				LoadGenerator: &benchv1alpha1.LoadGenerator{Image: &image},
				Target: &benchv1alpha1.BenchmarkTargetSpec{MongoDB: &benchv1alpha1.MongoDBTarget{
					Deployment: benchv1alpha1.Deployment{Image: &image},
					Sharded:    &benchv1alpha1.ShardedSpec{Mongos: &benchv1alpha1.MongosSpec{Image: &image}},
				}},
			})
			var paths []string
			for _, err := range errs {
				paths = append(paths, err.Field)
			}
			want := []string{"spec.loadGenerator.image", "spec.target.mongodb.image", "spec.target.mongodb.sharded.mongos.image"}
			if tc.want {
				want = nil
			}
			if diff := cmp.Diff(want, paths); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}
