package crud

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/operation"
)

func TestEveryWriteCanGoUnacknowledged(t *testing.T) {
	for kind := range operation.Kinds() {
		row := kind.Row()
		can := row.SentBy(operation.Driver) && row.Effect.Writes() && row.Effect != operation.ByParts && !row.Acknowledged
		if _, found := models[kind]; found != can {
			t.Errorf("loadgen/driver/mongo/crud/crud.go: there is a model of %s: %t; "+
				"its row in internal/operation says %t", kind, found, can)
		}
	}
}
