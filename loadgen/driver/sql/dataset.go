package sql

import (
	"context"
	database "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// preparing is how long one step of preparing may take: an index of a large table takes far longer than any operation
// that is measured.
const preparing = 24 * time.Hour

// Prepare drops and makes the table.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	// Nothing is dropped for a collection that no table can be made of.
	if _, err := (tables{t}).columns(ctx, collection); err != nil {
		return err
	}
	_, err := t.admin.ExecContext(ctx, "DROP TABLE IF EXISTS "+qualified(database, collection.Name))
	if err != nil && !isNumber(err, unknownDatabase) {
		return fmt.Errorf("collection %q: dropping its table: %w", collection.Name, err)
	}
	return t.Create(ctx, database, collection)
}

// Create makes a table that is missing, and the database.
func (t *Target) Create(ctx context.Context, name string, collection planv1.Collection) error {
	columns, err := tables{t}.columns(ctx, collection)
	if err != nil {
		return err
	}
	if err := (tables{t}).createDatabase(ctx, name); err != nil {
		return err
	}
	if err := t.change(ctx, createTable(name, collection, columns)); err != nil {
		return fmt.Errorf("collection %q: making its table: %w", collection.Name, err)
	}
	return nil
}

// tables reads and makes what a server holds.
type tables struct{ *Target }

// columns are those of a collection's table, if this server can make it.
func (t tables) columns(ctx context.Context, collection planv1.Collection) ([]column, error) {
	columns, err := columnsOf(collection)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(columns, func(c column) bool { return c.comment == commentDate })
	if at < 0 {
		return columns, nil
	}
	var instant string
	err = t.admin.QueryRowContext(ctx, "SELECT CAST('2000-01-01 00:00:00' AS "+columns[at].sqlType+")").Scan(&instant)
	if isNumber(err, wrongSyntax) {
		return nil, fmt.Errorf("collection %q: field %q is a Date, which takes parts of a second, and %s %s has none in a "+
			"column; MySQL has them from 5.6.4 on. Declare it as a Long", collection.Name, columns[at].name,
			t.settings.product(), t.settings["version"])
	}
	return columns, err
}

// createDatabase makes a database that is missing. One that is there needs no right to make databases.
func (t tables) createDatabase(ctx context.Context, name string) error {
	there := 0
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		return row.Scan(&there)
	}, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", name)
	if err == nil && there == 0 {
		err = t.change(ctx, "CREATE DATABASE IF NOT EXISTS "+quote(name))
	}
	if err != nil {
		return fmt.Errorf("making database %q: %w", name, err)
	}
	return nil
}

// Index makes the indexes of a table, all that it lacks at once. One of the same name that is another is an error.
func (t *Target) Index(ctx context.Context, database string, collection planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := (tables{t}).index(ctx, database, collection); err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	return nil
}

func (t tables) index(ctx context.Context, database string, collection planv1.Collection) error {
	there, err := t.indexes(ctx, database, collection.Name)
	if err != nil {
		return fmt.Errorf("asking for its indexes: %w", err)
	}
	var missing []string
	for _, index := range collection.Indexes {
		name, wanted := index.ServerName(), indexDefinition(index.Unique, index.Keys)
		switch found := there[strings.ToLower(name)]; found {
		case "":
			missing = append(missing, "ADD "+strings.Replace(wanted, "(", "INDEX "+quote(name)+" (", 1))
		case wanted:
		default:
			return fmt.Errorf("its index %q is %s, and was to be %s", name, found, wanted)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = t.admin.ExecContext(ctx, "ALTER TABLE "+qualified(database, collection.Name)+" "+strings.Join(missing, ", "))
	return err
}

// indexes are the definitions of a table's indexes, by their names in lower case.
func (t tables) indexes(ctx context.Context, name, table string) (map[string]string, error) {
	keys, unique := map[string][]planv1.IndexKey{}, map[string]bool{}
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		var index, direction string
		var repeats bool
		key := planv1.IndexKey{Order: "1"}
		err := row.Scan(&index, &repeats, &key.Field, &direction)
		if direction == "D" {
			key.Order = "-1"
		}
		index = strings.ToLower(index)
		keys[index], unique[index] = append(keys[index], key), !repeats
		return err
	}, "SELECT index_name, non_unique, column_name, COALESCE(collation, 'A') "+
		"FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? ORDER BY index_name, seq_in_index",
		name, table)
	found := make(map[string]string, len(keys))
	for index, of := range keys {
		found[index] = indexDefinition(unique[index], of)
	}
	return found, err
}

// Count counts the rows of a table, by reading an index of it.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	var number int64
	err := t.admin.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+qualified(database, collection)).Scan(&number)
	return number, err
}

// Read makes the documents again from the rows with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	columns, err := tables{t}.stored(ctx, database, collection)
	if err != nil {
		return nil, fmt.Errorf("asking for the columns: %w", err)
	}
	var documents []bson.Raw
	for len(ids) > 0 {
		some := ids[:min(len(ids), maxPlaceholders)]
		ids = ids[len(some):]
		query := "SELECT " + quoted(names(columns)) + " FROM " + qualified(database, collection) + " WHERE " +
			quote(portable.PrimaryKey) + " IN (?" + strings.Repeat(", ?", len(some)-1) + ")"
		arguments := make([]any, len(some))
		for i, id := range some {
			if arguments[i], err = idArgument(id); err != nil {
				return nil, err
			}
		}
		if documents, err = (tables{t}).readRows(ctx, documents, columns, query, arguments); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// readRows appends the document of every row.
func (t tables) readRows(
	ctx context.Context, documents []bson.Raw, columns []column, query string, arguments []any,
) ([]bson.Raw, error) {
	held, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range held {
		into[i] = &held[i]
	}
	// With arguments the values come as they are, and not as text.
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		if err := row.Scan(into...); err != nil {
			return err
		}
		document, err := documentOf(columns, held)
		documents = append(documents, document)
		return err
	}, query, arguments...)
	return documents, err
}

// stored are the columns that a table has, in their order.
func (t tables) stored(ctx context.Context, name, table string) ([]column, error) {
	var columns []column
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		var found column
		if err := row.Scan(&found.name, &found.comment); err != nil {
			return err
		}
		var known bool
		if found.comment, known = strings.CutPrefix(found.comment, commentPrefix); !known {
			return fmt.Errorf("column %q has no comment with the type of its values: no load generator made the table",
				found.name)
		}
		columns = append(columns, found)
		return nil
	}, "SELECT column_name, column_comment FROM information_schema.columns "+
		"WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", name, table)
	if err == nil && len(columns) == 0 {
		err = errors.New("there is no such table")
	}
	return columns, err
}

// Mark returns the mark of a database; nil when it has none.
func (t *Target) Mark(ctx context.Context, name string) (*reportv1.DatasetMark, error) {
	var mark *reportv1.DatasetMark
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		mark = &reportv1.DatasetMark{}
		return row.Scan(&mark.Fingerprint, &mark.State, &mark.LoadBegan)
	}, "SELECT fingerprint, state, load_began FROM "+qualified(name, reportv1.DatasetCollection)+" WHERE id = ?",
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
		" (id VARBINARY(64) NOT NULL PRIMARY KEY, fingerprint VARBINARY(255) NOT NULL, state VARBINARY(64) NOT NULL, "+
		"load_began BIGINT NOT NULL)")
	if err != nil {
		return fmt.Errorf("making the table of the mark: %w", err)
	}
	replace := "REPLACE INTO " + table + " (id, fingerprint, state, load_began) VALUES (?, ?, ?, ?)"
	return t.change(ctx, replace, reportv1.DatasetMarkID, mark.Fingerprint, string(mark.State), mark.LoadBegan)
}

// Holds returns the names of the database's tables and views, without those of the mark and the claim.
func (t *Target) Holds(ctx context.Context, name string) ([]string, error) {
	var names []string
	err := t.each(ctx, t.admin, func(row *database.Rows) error {
		var held string
		err := row.Scan(&held)
		names = append(names, held)
		return err
	}, "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND "+
		"table_name NOT IN (?, ?) ORDER BY table_name", name, reportv1.DatasetCollection, claimTable)
	if err != nil {
		return nil, fmt.Errorf("listing the tables: %w", err)
	}
	return names, nil
}

// secondary stands for all indexes but the primary key, which is the table itself, where they cannot be told apart.
const secondary = "secondary"

// Sizes of the tables. The rows lie in the primary key, so that DataBytes and StorageBytes are the same: what it takes.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	sizes := make([]reportv1.CollectionSize, 0, len(collections))
	for _, collection := range collections {
		size, err := tables{t}.size(ctx, database, collection.Name)
		if err != nil {
			return nil, fmt.Errorf("collection %q: asking for its sizes: %w", collection.Name, err)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

func (t tables) size(ctx context.Context, name, table string) (reportv1.CollectionSize, error) {
	size := reportv1.CollectionSize{Collection: table, Indexes: []reportv1.IndexSize{}}
	err := t.settle(ctx, qualified(name, table))
	size.Unsettled = err != nil
	if size.Documents, err = t.Count(ctx, name, table); err != nil {
		return size, err
	}
	var indexBytes int64
	err = t.each(ctx, t.admin, func(row *database.Rows) error {
		return row.Scan(&size.DataBytes, &indexBytes, &size.FreeBytes)
	}, "SELECT data_length, index_length, data_free FROM information_schema.tables "+
		"WHERE table_schema = ? AND table_name = ?", name, table)
	if err != nil {
		return size, err
	}
	size.StorageBytes = size.DataBytes
	if size.Indexes = t.indexSizes(ctx, name, table); len(size.Indexes) == 0 && indexBytes > 0 {
		size.Indexes = append(size.Indexes, reportv1.IndexSize{Name: secondary, Bytes: indexBytes})
	}
	return size, nil
}

// settle makes the engine look again at how large a table is, where the user may: engines do so by themselves now and
// then. MyRocks knows nothing of rows that it has in memory only.
func (t tables) settle(ctx context.Context, table string) error {
	if t.settings.engine() == engineMyRocks {
		if _, err := t.admin.ExecContext(ctx, "SET GLOBAL rocksdb_force_flush_memtable_now = ON"); err != nil {
			return err
		}
	}
	_, err := t.admin.ExecContext(ctx, "ANALYZE NO_WRITE_TO_BINLOG TABLE "+table)
	return err
}

// indexSizes are those of the indexes beside the primary key, where the engine keeps them and the user may look.
func (t tables) indexSizes(ctx context.Context, name, table string) []reportv1.IndexSize {
	sizes := []reportv1.IndexSize{}
	err := t.each(ctx, t.observer, func(row *database.Rows) error {
		var size reportv1.IndexSize
		err := row.Scan(&size.Name, &size.Bytes)
		sizes = append(sizes, size)
		return err
	}, "SELECT index_name, stat_value * @@innodb_page_size "+
		"FROM mysql.innodb_index_stats WHERE database_name = ? AND table_name = ? AND stat_name = 'size' "+
		"AND index_name <> 'PRIMARY' ORDER BY index_name", name, table)
	if err != nil {
		return []reportv1.IndexSize{}
	}
	return sizes
}

// Balancing is never going on: there is one server.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
