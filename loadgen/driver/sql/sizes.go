package sql

import (
	"context"
	database "database/sql"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

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
