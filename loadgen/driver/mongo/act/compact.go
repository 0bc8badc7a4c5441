package act

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
)

// compact gives room that a member's files no longer need back to its disk, for as long as that takes, and says how
// much. Servers before 4.4 do not say it; a primary has to be told that it is meant.
func compact(ctx context.Context, m *members.Member, database string, action planv1.Action) (string, error) {
	command := bson.D{{Key: "compact", Value: action.Collection}}
	if !action.Secondary {
		command = append(command, bson.E{Key: "force", Value: true})
	}
	reply, err := m.Client().Database(database).RunCommand(ctx, command).Raw()
	if err != nil {
		return "", err
	}
	if _, told := reply.Lookup("bytesFreed").AsInt64OK(); !told {
		return "", nil
	}
	return fmt.Sprintf("%d bytes freed", lookup.Number(reply, "bytesFreed")), nil
}
