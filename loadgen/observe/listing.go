package observe

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// tally is a figure as MariaDB and MySQL tell it: by their status variables, in lower case.
type tally struct {
	figure string
	// add are added up, as far as the server has them, and less are taken away; without any of add the figure is not
	// known.
	add, less []string
}

// The names, in lists, of what is no status variable.
const (
	clockName     = "clock"
	usageName     = "usage"
	uptimeName    = "uptime"
	cacheSizeName = "cache_size"
	rocksUsedName = "rocksdb_cache_used"
	documentsName = "size_documents"
	storageName   = "size_storage"
	indexesName   = "size_indexes"
)

// Status variables that several figures are made of.
const (
	readKey       = "handler_read_key"
	handlerWrite  = "handler_write"
	handlerUpdate = "handler_update"
	handlerDelete = "handler_delete"
)

// tallies is what a listing tells; docs/reference/server-figures.md has the same rows.
var tallies = []tally{
	{figure: operationsAll, add: []string{readKey, handlerWrite}},
	{figure: "operations.query", add: []string{readKey}, less: []string{handlerUpdate, handlerDelete}},
	{figure: "operations.insert", add: []string{handlerWrite}},
	{figure: "operations.update", add: []string{handlerUpdate}},
	{figure: "operations.delete", add: []string{handlerDelete}},
	{figure: "documents.scanned", add: []string{"rows_read"}},
	{figure: "documents.returned", add: []string{"rows_sent"}},
	{figure: "sorts", add: []string{"sort_range", "sort_scan"}},

	{figure: "cache.used", add: []string{"innodb_buffer_pool_bytes_data", rocksUsedName}},
	{figure: "cache.dirty", add: []string{"innodb_buffer_pool_bytes_dirty"}},
	{figure: "cache.maximum", add: []string{cacheSizeName}},
	{figure: "cache.requests", add: []string{
		"innodb_buffer_pool_read_requests", "rocksdb_block_cache_hit", "rocksdb_block_cache_miss",
	}},
	{figure: "cache.misses", add: []string{"innodb_buffer_pool_reads", "rocksdb_block_cache_miss"}},
	{figure: "cache.freeWaits", add: []string{"innodb_buffer_pool_wait_free"}},
	{figure: "cache.flushed", add: []string{"innodb_buffer_pool_pages_flushed"}},

	{figure: "disk.read", add: []string{"innodb_data_read"}},
	{figure: "disk.written", add: []string{
		"innodb_data_written", "rocksdb_flush_write_bytes", "rocksdb_compact_write_bytes",
	}},
	{figure: "disk.syncs", add: []string{"innodb_data_fsyncs"}},
	{figure: "journal.written", add: []string{"innodb_os_log_written", "rocksdb_wal_bytes"}},
	{figure: "journal.syncs", add: []string{"innodb_os_log_fsyncs", "rocksdb_wal_synced"}},
	{figure: "checkpoint.age", add: []string{"innodb_checkpoint_age"}},
	{figure: "checkpoint.maximumAge", add: []string{"innodb_checkpoint_max_age"}},

	{figure: "locks.waits", add: []string{"innodb_row_lock_waits"}},
	{figure: "locks.waitTime", add: []string{"innodb_row_lock_time"}},
	{figure: "queue.writers", add: []string{"innodb_row_lock_current_waits"}},
	{figure: "activeClients.all", add: []string{"threads_running"}},
	{figure: "connections.current", add: []string{"threads_connected"}},
	{figure: "connections.created", add: []string{"connections"}},
	{figure: "network.in", add: []string{"bytes_received"}},
	{figure: "network.out", add: []string{"bytes_sent"}},
	{figure: "network.requests", add: []string{"questions"}},
	{figure: "handlerSocket.rounds", add: []string{"handlersocket_hs_table_lock"}},

	{figure: "size.documents", add: []string{documentsName}},
	{figure: "size.storage", add: []string{storageName}},
	{figure: "size.indexes", add: []string{indexesName}},
}

// statusStatement asks for the status variables that figures are made of. The server makes them all, but sends few.
var statusStatement = func() string {
	names := []string{"'" + uptimeName + "'"}
	for _, t := range tallies {
		for _, name := range slices.Concat(t.add, t.less) {
			names = append(names, "'"+name+"'")
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return "SHOW GLOBAL STATUS WHERE Variable_name IN (" + strings.Join(names, ", ") + ")"
}()

// usageStatement asks for what the server's process uses, which the server itself does not know: another process may
// write it into a file where the server can read it. Without that file, or the right to it, there is no such row.
const usageStatement = "SELECT '" + usageName + "', LOAD_FILE(CONCAT(@@GLOBAL.secure_file_priv, '" + UsageFile + "'))"

// clockStatement also asks for the time by the server's clock, in seconds, for its uptime has no fractions.
const clockStatement = "SELECT '" + clockName + "', UNIX_TIMESTAMP(SYSDATE(6)) UNION ALL " + usageStatement

// UsageFile is the name of that file, in the folder that the variable secure_file_priv names. Each of its lines is the
// name of a figure, a space, and the counter or level in the unit that serverStatus has it in: cpu.user and cpu.system
// in microseconds, memory.resident in bytes, pageFaults.
const UsageFile = "usage"

// usageFigures are those that the file may have.
var usageFigures = []string{
	reportv1.SeriesCPUUser, reportv1.SeriesCPUSystem, reportv1.SeriesPeriods, reportv1.SeriesThrottledPeriods,
	"memory.resident", "pageFaults",
}

// slowStatements ask for what changes slowly. A server without one of the engines refuses what is about it.
func slowStatements(database string) []string {
	size := func(name, column string) string {
		return "SELECT '" + name + "', SUM(" + column + ") FROM information_schema.TABLES WHERE TABLE_SCHEMA = " +
			"CONVERT(x'" + hex.EncodeToString([]byte(database)) + "' USING utf8mb4)"
	}
	return []string{
		"SELECT '" + cacheSizeName + "', @@GLOBAL.innodb_buffer_pool_size",
		"SELECT '" + cacheSizeName + "', @@GLOBAL.rocksdb_block_cache_size",
		"SELECT '" + rocksUsedName + "', VALUE FROM information_schema.ROCKSDB_DBSTATS " +
			"WHERE STAT_TYPE = 'DB_BLOCK_CACHE_USAGE'",
		size(documentsName, "TABLE_ROWS"), size(storageName, "DATA_LENGTH"), size(indexesName, "INDEX_LENGTH"),
	}
}

// listing is the questions to a MariaDB or MySQL server.
type listing struct {
	server   Lister
	database string
	// slow is what was told last of what changes slowly, and refused the statements for it that were refused.
	slow    map[string]int64
	refused map[string]bool
	// started is when the server was started, by its own clock, in milliseconds.
	started int64
	// coarse says that the server's clock has whole seconds only.
	coarse bool
}

// sample needs the status variables and the clock.
func (l *listing) sample(ctx context.Context, slow bool) (*sample, error) {
	told, err := l.server.List(ctx, statusStatement)
	if err != nil {
		return nil, err
	}
	now, err := l.now(ctx)
	if err != nil {
		return nil, err
	}
	if slow {
		l.askSlow(ctx)
	}
	s, numbers := newSample(), maps.Clone(l.slow)
	for name, text := range told {
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			numbers[strings.ToLower(name)] = number
		}
	}
	l.time(s, now[clockName], numbers)
	for _, t := range tallies {
		s.values[places[t.figure]] = t.value(numbers)
	}
	s.decodeUsage(now[usageName])
	return s, nil
}

const microsPerSecond = 1_000_000

// now is the time and what the server's process uses. Where the server has no parts of a second, as MySQL before 5.6.4,
// the time is that of this machine: rates over a second would otherwise be off by as much again.
func (l *listing) now(ctx context.Context) (map[string]string, error) {
	if !l.coarse {
		told, err := l.server.List(ctx, clockStatement)
		if l.coarse = errors.Is(err, ErrRefused); !l.coarse {
			return told, err
		}
	}
	here := strconv.FormatFloat(float64(time.Now().UnixMicro())/microsPerSecond, 'f', 6, 64)
	told, err := l.server.List(ctx, usageStatement)
	if err == nil {
		told[clockName] = here
	}
	return told, err
}

// askSlow asks for what changes slowly. A question that was refused once is not asked again.
func (l *listing) askSlow(ctx context.Context) {
	told := map[string]int64{}
	for _, statement := range slowStatements(l.database) {
		if l.refused[statement] {
			continue
		}
		rows, err := l.server.List(ctx, statement)
		if err != nil {
			l.refused[statement] = errors.Is(err, ErrRefused)
			continue
		}
		for name, text := range rows {
			// A sum is a decimal number.
			if number, err := strconv.ParseFloat(text, 64); err == nil {
				told[name] += int64(number)
			}
		}
	}
	l.slow = told
}

// startTolerance, in milliseconds, is by how much an uptime without fractions may be off.
const startTolerance = 1500

// time takes the server's clock. The uptime is counted from the start as it was seen first, so that it has fractions.
func (l *listing) time(s *sample, clock string, numbers map[string]int64) {
	seconds, err := strconv.ParseFloat(clock, 64)
	uptime, told := numbers[uptimeName]
	if err != nil || !told {
		return
	}
	now := int64(seconds * millisPerSecond)
	started := now - uptime*millisPerSecond
	if moved := started - l.started; moved > startTolerance || moved < -startTolerance {
		l.started = started
	}
	s.started, s.uptime = l.started, now-l.started
}

// value adds up a figure.
func (t tally) value(numbers map[string]int64) int64 {
	total := int64(unknown)
	for _, name := range t.add {
		if number, told := numbers[name]; told {
			total = max(total, 0) + number
		}
	}
	if total == unknown {
		return unknown
	}
	for _, name := range t.less {
		total -= numbers[name]
	}
	return max(total, 0)
}

// decodeUsage takes what the file says that the server's process uses.
func (s *sample) decodeUsage(file string) {
	for line := range strings.Lines(file) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.ParseInt(text, 10, 64)
		if err == nil && number >= 0 && slices.Contains(usageFigures, name) {
			s.values[places[name]] = number
		}
	}
}
