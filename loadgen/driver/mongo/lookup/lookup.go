package lookup

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// Reply returns the reply, or nothing when there is none.
func Reply(ctx context.Context, database *driver.Database, command bson.D) bson.Raw {
	reply, err := database.RunCommand(ctx, command).Raw()
	if err != nil {
		return nil
	}
	return reply
}

// Text is the string at a path, empty when there is none.
func Text(document bson.Raw, path ...string) string {
	found, _ := document.Lookup(path...).StringValueOK()
	return found
}

// Number is the number at a path, 0 when there is none.
func Number(document bson.Raw, path ...string) int64 {
	found, _ := document.Lookup(path...).AsInt64OK()
	return found
}

// Texts are the strings of an array.
func Texts(document bson.Raw, name string) []string {
	array, _ := document.Lookup(name).ArrayOK()
	values, err := array.Values()
	if err != nil {
		return nil
	}
	found := make([]string, 0, len(values))
	for _, value := range values {
		if one, ok := value.StringValueOK(); ok {
			found = append(found, one)
		}
	}
	return found
}
