package legacy

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// Claim returns the claim of a database; nil when it has none.
func (t *Target) Claim(ctx context.Context, database string) (*loadgen.Claim, error) {
	found, err := t.find(ctx, database, reportv1.DatasetCollection, newCommand("_id", loadgen.ClaimID))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	claim := found[0]
	shares, _ := claim.Lookup("shares").BooleanOK()
	return &loadgen.Claim{
		Holder: lookup.Text(claim, "holder"), Name: lookup.Text(claim, "name"), Shares: shares,
		Beat: lookup.Number(claim, "beat"),
	}, nil
}

// SetClaim replaces a claim, of which either may be none. Of each change the server says how many documents it found,
// in every version.
func (t *Target) SetClaim(ctx context.Context, database string, held, next *loadgen.Claim) (bool, error) {
	var m messages
	switch {
	case held == nil:
		m.begin(opInsert, 0, database, reportv1.DatasetCollection)
		m.document(stored(*next))
	case next == nil:
		m.begin(opDelete, 0, database, reportv1.DatasetCollection)
		m.int32(deleteSingle)
		m.document(asHeld(*held))
	default:
		m.begin(opUpdate, 0, database, reportv1.DatasetCollection)
		m.int32(0)
		m.document(asHeld(*held))
		m.document(stored(*next))
	}
	changed, err := t.change(ctx, t.servers.Timeout, database, &m, "w", "majority")
	if held == nil {
		if err != nil && errorclass.Of(err) == errorclass.DuplicateKey {
			return false, nil
		}
		return err == nil, err
	}
	return err == nil && changed > 0, err
}

func stored(claim loadgen.Claim) bson.Raw {
	return newCommand("_id", loadgen.ClaimID, "holder", claim.Holder, "name", claim.Name, "shares", claim.Shares,
		"beat", claim.Beat)
}

// asHeld finds a claim that is still as it was read.
func asHeld(claim loadgen.Claim) bson.Raw {
	return newCommand("_id", loadgen.ClaimID, "holder", claim.Holder, "beat", claim.Beat)
}
