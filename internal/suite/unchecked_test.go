package suite_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/suite"
)

// TestAPatchThatTheSchemaForbidsDoesNoHarm: the API server has not seen what a patch makes of a run.
func TestAPatchThatTheSchemaForbidsDoesNoHarm(t *testing.T) {
	for name, patch := range map[string]string{
		"parts of another topology": "patch: {target: {sharded: {mongos: {}}, replicaSet: {}}}",
		"an existing database":      "patch: {target: {topology: External, storage: {}, sharded: {mongos: {}}}}",
		"another database":          "patch: {target: {kind: MariaDB, topology: Sharded, engine: {}}}",
		"no steps":                  "patch: {workload: {steps: null}}",
		"no version":                "patch: {target: {version: null}}",
		"no collections":            "patch: {dataset: null}",
	} {
		t.Run(name, func(*testing.T) { suite.Compile(with(t, patch)) })
	}
}
