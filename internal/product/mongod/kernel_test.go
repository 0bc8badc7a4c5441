package mongod_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

func TestKernelsThatAReleaseStopsOn(t *testing.T) {
	for name, tc := range map[string]struct {
		release mongod.Release
		kernel  string
		want    bool
	}{
		"the last good one":                 {mongod.Release{Major: 8}, "6.18.31-generic", false},
		"the first bad one":                 {mongod.Release{Major: 8}, "6.19", true},
		"one of a distribution":             {mongod.Release{Major: 8}, "6.19-rc3-amd64", true},
		"a later bad one":                   {mongod.Release{Major: 8, Minor: 3}, "6.20.1", true},
		"the last bad one":                  {mongod.Release{Major: 9}, "7.0.13+deb14-amd64", true},
		"the first that is good again":      {mongod.Release{Major: 8}, "7.0.14-200.fc44.x86_64", false},
		"a later good one":                  {mongod.Release{Major: 8}, "7.1.0", false},
		"a release that does not mind":      {mongod.Release{Major: 7, Minor: 3}, "6.19.2", false},
		"a kernel that is told in no words": {mongod.Release{Major: 8}, "", false},
		"a kernel of another system":        {mongod.Release{Major: 8}, "10.0.20348.1547", false},
		"words":                             {mongod.Release{Major: 8}, "six.nineteen", false},
		"a single number":                   {mongod.Release{Major: 8}, "7", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.release.StopsOn(tc.kernel); got != tc.want {
				t.Errorf("%s stops on %q: %t, want %t", tc.release, tc.kernel, got, tc.want)
			}
		})
	}
}
