package describe_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
)

func TestProductsNameThemselvesInBuildInfo(t *testing.T) {
	for want, build := range map[string]map[string]string{
		"MongoDB 6.0.5":                      {"version": "6.0.5"},
		"Percona Server for MongoDB 6.0.5-4": {"version": "6.0.5-4", "psmdbVersion": "6.0.5-4"},
		"FerretDB 1.24.0":                    {"version": "7.0.42", "ferretdbVersion": "v1.24.0"},
		"TokuMX 2.0.2":                       {"version": "2.4.10", "tokumxVersion": "2.0.2"},
	} {
		product, version := describe.Product(func(field string) string { return build[field] })
		if got := product + " " + version; got != want {
			t.Errorf("buildInfo %v: %s, want %s", build, got, want)
		}
	}
}
