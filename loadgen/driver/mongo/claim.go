package mongo

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// claims keeps the claims of databases.
type claims struct{ client *driver.Client }

// storedClaim is the claim as the database holds it, beside the mark.
type storedClaim struct {
	ID     string `bson:"_id"`
	Holder string `bson:"holder"`
	Name   string `bson:"name"`
	Shares bool   `bson:"shares"`
	Beat   int64  `bson:"beat"`
}

// Claim returns the claim of a database; nil when it has none.
func (c claims) Claim(ctx context.Context, database string) (*loadgen.Claim, error) {
	var found storedClaim
	err := c.marks(database).FindOne(ctx, bson.D{{Key: "_id", Value: loadgen.ClaimID}}).Decode(&found)
	switch {
	case errors.Is(err, driver.ErrNoDocuments):
		return nil, nil //nolint:nilnil // That nobody claims a database is no error.
	case err != nil:
		return nil, errorclass.WithoutSecrets(err)
	}
	return &loadgen.Claim{Holder: found.Holder, Name: found.Name, Shares: found.Shares, Beat: found.Beat}, nil
}

// SetClaim replaces a claim, of which either may be none, acknowledged by a majority.
func (c claims) SetClaim(ctx context.Context, database string, held, next *loadgen.Claim) (bool, error) {
	marks, changed := c.marks(database), int64(0)
	var err error
	switch {
	case held == nil:
		_, err = marks.InsertOne(ctx, stored(*next))
		if err != nil && errorclass.Of(err) == errorclass.DuplicateKey {
			return false, nil
		}
		changed = 1
	case next == nil:
		var result *driver.DeleteResult
		if result, err = marks.DeleteOne(ctx, asHeld(*held)); err == nil {
			changed = result.DeletedCount
		}
	default:
		var result *driver.UpdateResult
		if result, err = marks.ReplaceOne(ctx, asHeld(*held), stored(*next)); err == nil {
			changed = result.MatchedCount
		}
	}
	return err == nil && changed > 0, errorclass.WithoutSecrets(err)
}

func stored(claim loadgen.Claim) storedClaim {
	return storedClaim{
		ID: loadgen.ClaimID, Holder: claim.Holder, Name: claim.Name, Shares: claim.Shares, Beat: claim.Beat,
	}
}

// asHeld finds a claim that is still as it was read.
func asHeld(claim loadgen.Claim) bson.D {
	return bson.D{
		{Key: "_id", Value: loadgen.ClaimID}, {Key: "holder", Value: claim.Holder}, {Key: "beat", Value: claim.Beat},
	}
}
