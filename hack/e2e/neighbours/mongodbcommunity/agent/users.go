package main

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// manage makes the roles and the users that the config wants, or brings them to what it says.
func manage(ctx context.Context, client *mongo.Client, config automation) error {
	for _, wanted := range config.Roles {
		if err := manageRole(ctx, client.Database(wanted.DB), wanted); err != nil {
			return err
		}
	}
	if len(config.Auth.Users) == 0 {
		return nil
	}
	return manageUsers(ctx, client, config.Auth.Users)
}

func manageRole(ctx context.Context, database *mongo.Database, wanted customRole) error {
	privileges := make(bson.A, 0, len(wanted.Privileges))
	for _, privilege := range wanted.Privileges {
		resource := bson.D{}
		switch {
		case privilege.Resource.Cluster:
			resource = bson.D{{Key: "cluster", Value: true}}
		case privilege.Resource.Any:
			resource = bson.D{{Key: "anyResource", Value: true}}
		case privilege.Resource.DB != nil && privilege.Resource.Collection != nil:
			resource = bson.D{
				{Key: "db", Value: *privilege.Resource.DB}, {Key: "collection", Value: *privilege.Resource.Collection},
			}
		}
		privileges = append(privileges, bson.D{
			{Key: "resource", Value: resource}, {Key: "actions", Value: privilege.Actions},
		})
	}
	roles := append([]role{}, wanted.Roles...)
	content := bson.D{{Key: "privileges", Value: privileges}, {Key: "roles", Value: roles}}
	err := database.RunCommand(ctx, append(bson.D{{Key: "createRole", Value: wanted.Role}}, content...)).Err()
	if isNumber(err, roleExists) {
		err = database.RunCommand(ctx, append(bson.D{{Key: "updateRole", Value: wanted.Role}}, content...)).Err()
	}
	if err != nil {
		return fmt.Errorf("making role %s: %w", wanted.Role, err)
	}
	return nil
}

// roleExists is the number of the error by which a server refuses to make a role twice.
const roleExists = 51002

func isNumber(err error, number int32) bool {
	failed := mongo.CommandError{}
	return errors.As(err, &failed) && failed.Code == number
}

// manageUsers makes users of whose passwords only what a server keeps is known. No command makes such a user, so they
// are merged in, as mongorestore does it.
func manageUsers(ctx context.Context, client *mongo.Client, wanted []user) error {
	const merged = "tempusers"
	temporary := client.Database(admin).Collection(merged)
	if err := temporary.Drop(ctx); err != nil {
		return fmt.Errorf("making users: %w", err)
	}
	users := make([]any, 0, len(wanted))
	for _, one := range wanted {
		known := bson.D{}
		for _, kind := range []struct {
			name string
			its  *credentials
		}{{"SCRAM-SHA-1", one.SHA1}, {"SCRAM-SHA-256", one.SHA256}} {
			if kind.its != nil {
				known = append(known, bson.E{Key: kind.name, Value: kind.its})
			}
		}
		users = append(users, bson.D{
			{Key: "_id", Value: one.DB + "." + one.Name},
			{Key: "user", Value: one.Name},
			{Key: "db", Value: one.DB},
			{Key: "credentials", Value: known},
			{Key: "roles", Value: append([]role{}, one.Roles...)},
		})
	}
	if _, err := temporary.InsertMany(ctx, users); err != nil {
		return fmt.Errorf("making users: %w", err)
	}
	err := run(ctx, client, bson.D{
		{Key: "_mergeAuthzCollections", Value: 1},
		{Key: "tempUsersCollection", Value: admin + "." + merged},
		{Key: "db", Value: ""},
		{Key: "drop", Value: false},
	})
	return errors.Join(err, temporary.Drop(ctx))
}
