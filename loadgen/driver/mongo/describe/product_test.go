package describe_test

import (
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
)

func TestProductsNameThemselvesInBuildInfo(t *testing.T) {
	for want, build := range map[string]map[string]string{
		"MongoDB 6.0.5":                      {"version": "6.0.5"},
		"Percona Server for MongoDB 6.0.5-4": {"version": "6.0.5-4", "psmdbVersion": "6.0.5-4"},
		"FerretDB 1.24.0":                    {"version": "7.0.42", "ferretdbVersion": "v1.24.0"},
		"TokuMX 2.0.2":                       {"version": "2.4.10", "tokumxVersion": "2.0.2"},
	} {
		server, err := describe.Server(func(command bson.D) (bson.Raw, error) {
			if command[0].Key != "buildInfo" {
				return nil, errors.New("it tells nothing else")
			}
			return bson.Marshal(build)
		})
		if got := server.Product + " " + server.Version; err != nil || got != want {
			t.Errorf("buildInfo %v: %s and error %v, want %s", build, got, err, want)
		}
	}
}
