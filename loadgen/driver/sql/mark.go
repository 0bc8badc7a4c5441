package sql

import (
	"context"
	database "database/sql"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Mark returns the mark of a database; nil when it has none.
func (t *Target) Mark(ctx context.Context, name string) (*reportv1.DatasetMark, error) {
	var mark *reportv1.DatasetMark
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		mark = &reportv1.DatasetMark{}
		return row.Scan(&mark.Fingerprint, &mark.State)
	}, "SELECT fingerprint, state FROM "+qualified(name, reportv1.DatasetCollection)+" WHERE id = ?",
		reportv1.DatasetMarkID)
	if isNumber(err, unknownDatabase, unknownTable) {
		return nil, nil //nolint:nilnil // A database without a mark is none of ours, which is no error.
	}
	return mark, err
}

// SetMark writes the mark, as durably as the server writes.
func (t *Target) SetMark(ctx context.Context, name string, mark reportv1.DatasetMark) error {
	if err := (tables{t}).createDatabase(ctx, name); err != nil {
		return err
	}
	table := qualified(name, reportv1.DatasetCollection)
	err := t.change(ctx, "CREATE TABLE IF NOT EXISTS "+table+
		" (id VARBINARY(64) NOT NULL PRIMARY KEY, fingerprint VARBINARY(255) NOT NULL, state VARBINARY(64) NOT NULL)")
	if err != nil {
		return fmt.Errorf("making the table of the mark: %w", err)
	}
	replace := "REPLACE INTO " + table + " (id, fingerprint, state) VALUES (?, ?, ?)"
	return t.change(ctx, replace, reportv1.DatasetMarkID, mark.Fingerprint, string(mark.State))
}

// Holds returns the names of the database's tables and views, without the mark's.
func (t *Target) Holds(ctx context.Context, name string) ([]string, error) {
	var names []string
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		var held string
		err := row.Scan(&held)
		names = append(names, held)
		return err
	}, "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_name <> ? ORDER BY table_name",
		name, reportv1.DatasetCollection)
	if err != nil {
		return nil, fmt.Errorf("listing the tables: %w", err)
	}
	return names, nil
}
