package suite_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/suite"
)

// TestAPatchThatTheSchemaForbidsDoesNoHarm: the API server has not seen what a patch makes of a run.
func TestAPatchThatTheSchemaForbidsDoesNoHarm(t *testing.T) {
	for name, patch := range map[string]string{
		"parts of another topology": "patch: {target: {mongodb: {sharded: {mongos: {}}, replicaSet: {}}}}",
		"an existing database":      "patch: {target: {external: {}, mongodb: {storage: {}, sharded: {mongos: {}}}}}",
		"another database":          "patch: {target: {mariadb: {version: a}, mongodb: {sharded: {}, engine: {}}}}",
		"no database":               "patch: {target: {mongodb: null}}",
		"only an existing database": "patch: {target: {mongodb: null, external: {}}}",
		"only another database":     "patch: {target: {mongodb: null, mariadb: {}}}",
		"no steps":                  "patch: {workload: {steps: null}}",
		"no version":                "patch: {target: {mongodb: {version: null}}}",
		"no collections":            "patch: {dataset: null}",
	} {
		t.Run(name, func(*testing.T) { suite.Compile(with(t, patch)) })
	}
}
