package topology

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Roles of the users. The load user reads and writes any database because a target does not know which one its runs
// will use; it may look at the servers (clusterMonitor) so that a result can say what it was had from.
var (
	adminRoles = bson.A{"root"}
	loadRoles  = bson.A{"readWriteAnyDatabase", "clusterMonitor"}
)

// makeUsers creates the users, or gives those that exist the present password and roles.
func makeUsers(ctx context.Context, m member, secrets Secrets) error {
	if err := makeUser(ctx, m, secrets.Admin, adminRoles); err != nil {
		return err
	}
	return makeUser(ctx, m, secrets.Load, loadRoles)
}

func makeUser(ctx context.Context, m member, user Credentials, roles bson.A) error {
	command := func(name string) bson.D {
		return bson.D{{Key: name, Value: user.Username}, {Key: "pwd", Value: user.Password}, {Key: "roles", Value: roles}}
	}
	_, err := m.admin(ctx, command("createUser"))
	if hasCode(err, codeUserExists) {
		_, err = m.admin(ctx, command("updateUser"))
	}
	if err != nil {
		return fmt.Errorf("creating user %s on %s: %w", user.Username, m.host, err)
	}
	return nil
}
