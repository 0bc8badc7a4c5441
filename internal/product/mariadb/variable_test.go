package mariadb_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
)

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"innodb_flush_log_at_trx_commit":       "innodb_flush_log_at_trx_commit",
		"INNODB_FLUSH_LOG_AT_TRX_COMMIT":       "innodb_flush_log_at_trx_commit",
		"loose_innodb_flush_log_at_trx_commit": "innodb_flush_log_at_trx_commit",
		"innodb_flush_log_at":                  "innodb_flush_log_at_trx_commit",
		"skip_grant_tables":                    "grant_tables",
		"loose_skip_networking":                "networking",
		"handlersocket":                        "handlersocket",
		"handlersocket_port_wr":                "handlersocket",
		"loose_handlersocket_plain_secret":     "handlersocket",
		"datadir":                              "datadir",
		"innodb":                               "innodb",
		"rocksdb":                              "rocksdb",
		"innodb_data":                          "innodb_data_home_dir",

		"old_pass":            "old_passwords",
		"loose_old_passwords": "old_passwords",

		"old":                     "",
		"innodb_log_file_size":    "",
		"innodb_flush_method":     "",
		"innodb_flush_neighbors":  "",
		"max_connections":         "",
		"performance_schema":      "",
		"sync_binlog":             "",
		"ssl_session_cache":       "",
		"rocksdb_max_open_files":  "",
		"user_stat":               "",
		"version_of_what_is_none": "",
	} {
		got, found := mariadb.Find(name)
		if got.Name != want || found != (want != "") {
			t.Errorf("%s is %q, want %q", name, got.Name, want)
		}
	}
}

// TestVariablesSayWhatToDo: use a field instead, or why there is none.
func TestVariablesSayWhatToDo(t *testing.T) {
	for _, name := range []string{"datadir", "port", "grant_tables", "handlersocket", "plugin_load", "help"} {
		got, found := mariadb.Find(name)
		if !found || (got.Field == "") == (got.Why == "") {
			t.Errorf("%s: %+v, want either a field or a reason", name, got)
		}
	}
}
