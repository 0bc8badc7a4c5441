package command_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
)

func TestEveryKindHasAForm(t *testing.T) {
	for kind := range operation.Kinds() {
		row, form := kind.Row(), command.FormOf(kind)
		// Commands, parts and what is no command are written otherwise, and so is what only the driver does: cursors that
		// wait.
		one := row.SentBy(operation.Wire) && row.Effect != operation.ByParts && row.Effect != operation.Unknown &&
			row.Effect != operation.Nothing
		if found := form.Write != nil && form.Answer != command.Various; found != one {
			t.Errorf("loadgen/driver/mongo/command/operations.go: there is a form of %s: %t; "+
				"its row in internal/operation says %t",
				kind, found, one)
		}
		if one && row.Effect.Writes() != (form.Answer == command.Changes) {
			t.Errorf("loadgen/driver/mongo/command/operations.go: the answer to a %s is %d, and its effect %d",
				kind, form.Answer, row.Effect)
		}
	}
}
