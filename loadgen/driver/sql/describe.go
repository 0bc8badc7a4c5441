package sql

import (
	"cmp"
	"context"
	database "database/sql"
	"fmt"
	"strconv"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const bytesPerMebibyte = 1 << 20

// The storage engines, as a target is declared with them; any other has the server's name.
const (
	engineInnoDB  = "InnoDB"
	engineMyRocks = "MyRocks"
)

// statementRoom is what a statement needs of a packet beside its text.
const statementRoom = 1 << 10

// settings are a server's variables, by their names.
type settings map[string]string

// readSettings asks the server for all of them, as one of its users.
func (t tables) readSettings(ctx context.Context, as *database.DB) (settings, error) {
	found := settings{}
	err := t.each(ctx, as, func(row *database.Rows) error {
		var name, value string
		err := row.Scan(&name, &value)
		found[name] = value
		return err
	}, "SHOW GLOBAL VARIABLES")
	return found, err
}

func (s settings) number(name string) int64 {
	number, err := strconv.ParseInt(s[name], 10, 64)
	if err != nil {
		return 0
	}
	return number
}

// maxPacket is how long a request may be.
func (s settings) maxPacket() int {
	const leastOfAll = 1 << 20
	return int(max(s.number("max_allowed_packet"), leastOfAll))
}

// maxStatement is how long the text of a statement may be.
func (s settings) maxStatement() int {
	return s.maxPacket() - statementRoom
}

// engine is the one of tables that name none.
func (s settings) engine() string {
	switch engine := s["default_storage_engine"]; strings.ToLower(engine) {
	case "innodb":
		return engineInnoDB
	case "rocksdb":
		return engineMyRocks
	default:
		return engine
	}
}

// variables are, of each engine that we know, the one by which its log is written and that of its cache of blocks.
var variables = map[string]struct{ flush, cache string }{
	engineInnoDB:  {"innodb_flush_log_at_trx_commit", "innodb_buffer_pool_size"},
	engineMyRocks: {"rocksdb_flush_log_at_trx_commit", "rocksdb_block_cache_size"},
}

// flushed are the classes that the values of the variable flush stand for. InnoDB does the same at 3 as at 1, in more
// steps.
var flushed = map[string]benchv1alpha1.Durability{
	"0": benchv1alpha1.DurabilityMemory,
	"1": benchv1alpha1.DurabilitySynced,
	"2": benchv1alpha1.DurabilityOSCache,
	"3": benchv1alpha1.DurabilitySynced,
}

// on says whether a variable is set.
func (s settings) on(name string) bool {
	return s[name] == "ON" || s[name] == "1"
}

// durability is what an acknowledged write has gone through, by the API's name; empty where the settings do not tell.
// With a binary log a transaction that is not in it is rolled back when the server comes back, so that the weaker log
// of the two decides.
func (s settings) durability() string {
	class, known := flushed[s[variables[s.engine()].flush]]
	unsynced := s["innodb_flush_method"] == "nosync" || s.on("log_bin") && s["sync_binlog"] != "1"
	switch {
	case !known:
		return ""
	case s.engine() == engineMyRocks && s.on("rocksdb_write_disable_wal"):
		return string(benchv1alpha1.DurabilityMemory)
	case class == benchv1alpha1.DurabilitySynced && unsynced:
		return string(benchv1alpha1.DurabilityOSCache)
	}
	return string(class)
}

// durabilitySettings are the variables that the class of durability follows from; empty where it is not known.
func (s settings) durabilitySettings() string {
	if s.durability() == "" {
		return ""
	}
	name := variables[s.engine()].flush
	told := name + " " + s[name]
	if s.on("log_bin") {
		told += ", sync_binlog " + s["sync_binlog"]
	} else {
		told += ", no binary log"
	}
	if s.engine() == engineInnoDB {
		told += ", innodb_doublewrite " + cmp.Or(s["innodb_doublewrite"], "?") + ", innodb_flush_method " +
			s.flushMethod()
	}
	return told
}

// flushMethod is how InnoDB syncs its files. An old MySQL has nothing there unless it was told something: it calls
// fsync, and fdatasync is no name that it takes.
func (s settings) flushMethod() string {
	method, told := s["innodb_flush_method"]
	if told {
		return cmp.Or(method, "fsync")
	}
	return "?"
}

// product is what the server calls itself.
func (s settings) product() string {
	if strings.Contains(strings.ToLower(s["version"]+s["version_comment"]), "mariadb") {
		return reportv1.ProductMariaDB
	}
	return reportv1.ProductMySQL
}

// Describe returns what the server says of itself.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	s, err := tables{t}.readSettings(ctx, t.observer)
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking for the server's settings: %w", err)
	}
	server := reportv1.Server{
		Product: s.product(), Version: s["version"], GitVersion: s["version_source_revision"],
		Topology: loadgen.TopologyStandalone, Members: 1, StorageEngine: s.engine(),
		CacheMebibytes: s.number(variables[s.engine()].cache) / bytesPerMebibyte, Persistence: "Durable",
		TLS: string(benchv1alpha1.Disabled), Durability: s.durability(), DefaultWriteConcern: s.durabilitySettings(),
		StartupWarnings: s.warnings(),
	}
	if t.location.TLS != TLSOff {
		server.TLS = string(benchv1alpha1.Enabled)
	}
	return server, nil
}

// warnings are settings that change what is measured, or what survives, and that a default installation does not have.
func (s settings) warnings() []string {
	var found []string
	warn := func(unusual bool, name, consequence string) {
		if value, known := s[name]; known && unusual {
			found = append(found, fmt.Sprintf("%s is %s: %s", name, value, consequence))
		}
	}
	warn(s.engine() == engineInnoDB && !s.on("innodb_doublewrite") && s["innodb_doublewrite"] != "DETECT_AND_RECOVER",
		"innodb_doublewrite", "a page that is torn when the power fails cannot be mended")
	warn(s.on("query_cache_type") && s.number("query_cache_size") > 0, "query_cache_type",
		"reads may be answered without the engine")
	warn(s.on("general_log"), "general_log", "every statement is written to a log")
	warn(s.on("slow_query_log") && s["long_query_time"] == "0.000000", "slow_query_log",
		"every statement is written to a log")
	warn(s.on("performance_schema"), "performance_schema", "the server measures its own statements, which costs")
	return found
}

// Member is the server as it is observed, with a connection of its own, as the observer's user. It is used by one
// goroutine at a time.
type Member struct {
	target *Target
	// connection is nil when there is none.
	connection *database.Conn
}

// MemberOf is the one server of a deployment.
func MemberOf(t *Target) *Member { return &Member{target: t} }

// Servers is that server, as it is observed.
func (t *Target) Servers(context.Context) ([]observe.Server, error) {
	return []observe.Server{MemberOf(t)}, nil
}

// Name is the server's host and port.
func (m *Member) Name() string { return m.target.location.Address }

// Role says that the server is alone.
func (m *Member) Role() string { return observe.RoleStandalone }

// List sends a statement and returns its rows, each a name and a value. The error is observe.ErrNotAllowed when the
// user may not log in, and observe.ErrRefused when the server took the statement and refused it.
func (m *Member) List(ctx context.Context, statement string) (map[string]string, error) {
	found, err := m.list(ctx, statement)
	switch {
	case err == nil:
		return found, nil
	case m.connection == nil && classify(err) == ClassAuthentication:
		return nil, fmt.Errorf("%w: %w", observe.ErrNotAllowed, err)
	case isRefusal(err):
		return nil, fmt.Errorf("%w: %w", observe.ErrRefused, err)
	}
	m.Close()
	return nil, err
}

func (m *Member) list(ctx context.Context, statement string) (map[string]string, error) {
	if err := m.connect(ctx); err != nil {
		return nil, err
	}
	found := map[string]string{}
	err := m.target.each(ctx, m.connection, func(row *database.Rows) error {
		var name string
		var value database.NullString
		err := row.Scan(&name, &value)
		if value.Valid {
			found[name] = value.String
		}
		return err
	}, statement)
	return found, err
}

// connect makes sure that there is a connection.
func (m *Member) connect(ctx context.Context) error {
	if m.connection != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.target.timeout)
	defer cancel()
	var err error
	m.connection, err = m.target.observer.Conn(ctx)
	return err
}

// Close gives the connection back.
func (m *Member) Close() {
	if m.connection != nil {
		_ = m.connection.Close()
		m.connection = nil
	}
}
