package mariadb

import (
	"slices"
	"strings"
)

// Variable is a system variable, or an option of the server, that nobody but the operator gives.
type Variable struct {
	Name string
	// Field of a target that stands for it. Empty: none does, and Why says why nobody may give it.
	Field string
	Why   string
}

const (
	inPod     = "the pod and its Services depend on how the operator sets it"
	users     = "the server's users are the operator's"
	otherTask = "the server would do something else than serve"
	output    = "a pod's server writes its log to its standard output"
)

// variables are the table. Names are as the server shows them, with underscores and without skip_.
var variables = []Variable{
	// Whether a server has these engines. They begin the names of others in the table, and so come first.
	{Name: "innodb", Field: "mariaDB.engine"},
	{Name: "rocksdb", Field: "mariaDB.engine"},
	{Name: "datadir", Field: "storage"},
	{Name: "innodb_data_home_dir", Field: "storage"},
	{Name: "innodb_log_group_home_dir", Field: "storage"},
	{Name: "innodb_undo_directory", Field: "storage"},
	{Name: "rocksdb_datadir", Field: "storage"},
	{Name: "rocksdb_wal_dir", Field: "storage"},
	{Name: "tmpdir", Why: inPod},
	{Name: "basedir", Why: inPod},
	{Name: "socket", Why: inPod},
	{Name: "pid_file", Why: inPod},
	{Name: "port", Why: inPod},
	{Name: "bind_address", Why: inPod},
	{Name: "networking", Why: inPod},
	{Name: "name_resolve", Why: inPod},
	{Name: "host_cache_size", Why: inPod},
	{Name: "secure_file_priv", Why: inPod},
	{Name: "user", Why: inPod},
	{Name: "chroot", Why: inPod},
	{Name: "defaults_file", Why: inPod},
	{Name: "defaults_extra_file", Why: inPod},
	{Name: "defaults_group_suffix", Why: inPod},
	{Name: "no_defaults", Why: inPod},
	{Name: "log_error", Why: output},
	{Name: "console", Why: output},

	{Name: "default_storage_engine", Field: "mariaDB.engine"},
	{Name: "innodb_buffer_pool_size", Field: "mariaDB.bufferPoolMebibytes"},
	{Name: "rocksdb_block_cache_size", Field: "mariaDB.bufferPoolMebibytes"},
	{Name: "innodb_flush_log_at_trx_commit", Field: "durability"},
	{Name: "rocksdb_flush_log_at_trx_commit", Field: "durability"},
	{Name: "plugin_load", Field: "mariaDB"},
	{Name: "plugin_load_add", Field: "mariaDB"},
	{Name: "plugin_dir", Why: inPod},
	{Name: "plugin_maturity", Field: "mariaDB.handlerSocket"},
	{Name: handlerSocket, Field: "mariaDB.handlerSocket"},

	{Name: "ssl", Why: users},
	{Name: "require_secure_transport", Why: users},
	{Name: "grant_tables", Why: users},
	{Name: "init_file", Why: users},
	{Name: "init_connect", Why: users},
	{Name: "old_passwords", Why: users},
	{Name: "bootstrap", Why: otherTask},
	{Name: "help", Why: otherTask},
	{Name: "version", Why: otherTask},
	{Name: "wsrep_on", Why: otherTask},
}

// handlerSocket begins the names of all settings of that plugin, which are its field's business as a whole.
const handlerSocket = "handlersocket"

// prefixes may stand before the name of an option.
var prefixes = []string{"loose_", "skip_", "disable_", "enable_", "maximum_", "autoset_"}

// others are names that the server has beside the table and that begin one in it: they mean themselves.
var others = []string{"old"}

// Find returns the variable that a name means. The server takes names with dashes, with prefixes, and shortened as far
// as nothing else begins so; what is the beginning of a name in the table, and no name itself, counts as that name.
func Find(name string) (Variable, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for shortened := true; shortened; {
		shortened = false
		for _, prefix := range prefixes {
			if rest, found := strings.CutPrefix(name, prefix); found {
				name, shortened = rest, true
			}
		}
	}
	if slices.Contains(others, name) {
		return Variable{}, false
	}
	at := slices.IndexFunc(variables, func(v Variable) bool {
		return name != "" && strings.HasPrefix(v.Name, name) || v.Name == handlerSocket && strings.HasPrefix(name, v.Name)
	})
	if at < 0 {
		return Variable{}, false
	}
	return variables[at], true
}
