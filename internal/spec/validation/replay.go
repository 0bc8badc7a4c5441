package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// replay checks a step that sends a recording. What cannot be set together with it the schema refuses, but for what a
// patch of a suite makes of it.
func (c stepCheck) replay() {
	path, replay := c.path.Child("replay"), c.step.Replay
	if replay == nil {
		if len(c.step.Operations) == 0 {
			c.Add(field.Required(c.path.Child("operations"), "exactly one of operations and replay must be set"))
		}
		return
	}
	c.Forbid(len(c.step.Operations) > 0, path, "exactly one of operations and replay must be set; a patch removes another "+
		"with null")
	validateFile(c.Findings, replay.Recording, path.Child("recording"))
	switch client := *c.spec.LoadGenerator.Client; client {
	case benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire:
	default:
		c.Forbid(true, path, "commands of MongoDB are replayed, which the client %s does not send", client)
	}
	if target := c.spec.Target; target != nil && target.MongoDB != nil && target.MongoDB.Sharded != nil {
		router := target.MongoDB.Sharded.Router
		c.Forbid(router != nil && *router == benchv1alpha1.RouterClient, path,
			"sessions and cursors need a mongos; set spec.target.mongodb.sharded.router to Mongos")
	}
}
