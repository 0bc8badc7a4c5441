package sql

import (
	"context"
	database "database/sql"
	"fmt"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// claimTable is the table that the claim of a database is kept in: that of the mark, as earlier versions made it, has
// no columns for it.
const claimTable = "mongobench.claim"

// claims keeps the claims of databases.
type claims struct{ tables tables }

// Claim returns the claim of a database; nil when it has none.
func (c claims) Claim(ctx context.Context, name string) (*loadgen.Claim, error) {
	var claim *loadgen.Claim
	err := c.tables.each(ctx, c.tables.admin, func(row *database.Rows) error {
		claim = &loadgen.Claim{}
		return row.Scan(&claim.Holder, &claim.Name, &claim.Shares, &claim.Beat)
	}, "SELECT holder, name, shares, beat FROM "+qualified(name, claimTable)+" WHERE id = ?", loadgen.ClaimID)
	if isNumber(err, unknownDatabase, unknownTable) {
		return nil, nil //nolint:nilnil // That nobody claims a database is no error.
	}
	return claim, err
}

// SetClaim replaces a claim, of which either may be none, as durably as the server writes.
func (c claims) SetClaim(ctx context.Context, name string, held, next *loadgen.Claim) (bool, error) {
	table := qualified(name, claimTable)
	switch {
	case held == nil:
		if err := c.tables.createDatabase(ctx, name); err != nil {
			return false, err
		}
		err := c.tables.change(ctx, "CREATE TABLE IF NOT EXISTS "+table+" (id VARBINARY(64) NOT NULL PRIMARY KEY, "+
			"holder VARBINARY(255) NOT NULL, name VARBINARY(255) NOT NULL, shares BOOLEAN NOT NULL, beat BIGINT NOT NULL)")
		if err != nil {
			return false, fmt.Errorf("making the table of the claim: %w", err)
		}
		changed, err := c.changed(ctx, "INSERT INTO "+table+" (id, holder, name, shares, beat) VALUES (?, ?, ?, ?, ?)",
			loadgen.ClaimID, next.Holder, next.Name, next.Shares, next.Beat)
		if isNumber(err, duplicateEntry) {
			return false, nil
		}
		return changed, err
	case next == nil:
		return c.changed(ctx, "DELETE FROM "+table+" WHERE id = ? AND holder = ? AND beat = ?", loadgen.ClaimID,
			held.Holder, held.Beat)
	default:
		return c.changed(ctx, "UPDATE "+table+" SET holder = ?, name = ?, shares = ?, beat = ? WHERE id = ? AND "+
			"holder = ? AND beat = ?", next.Holder, next.Name, next.Shares, next.Beat, loadgen.ClaimID, held.Holder, held.Beat)
	}
}

// changed says whether a statement has changed a row.
func (c claims) changed(ctx context.Context, statement string, arguments ...any) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.tables.timeout)
	defer cancel()
	result, err := c.tables.admin.ExecContext(ctx, statement, arguments...)
	if isNumber(err, unknownDatabase, unknownTable) {
		return false, nil // A claim in a table that is not there is not held.
	}
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows > 0, err
}
