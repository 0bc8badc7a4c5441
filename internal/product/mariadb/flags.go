package mariadb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	// maxConnections is more than the workers of most runs: the server's own default is 151. A parameter of the same
	// name says something else.
	maxConnections = 4096
	// maxPacket is more than the largest document, and a batch of small ones. The server's default is 16M.
	maxPacket = "64M"
	// systemTablesMemory is InnoDB's where the tables that are measured are another engine's.
	systemTablesMemory = "32M"
	// handlerSocketIdleSeconds keeps the connections of workers that wait for the next step. By default the plugin ends
	// them after 5 minutes; an hour is the most.
	handlerSocketIdleSeconds = 3600
)

// logFlushing is what the flushing of an engine's log at each commit is called by durability, alike for both engines.
var logFlushing = map[benchv1alpha1.Durability]string{
	benchv1alpha1.DurabilityMemory: "0", benchv1alpha1.DurabilitySynced: "1", benchv1alpha1.DurabilityOSCache: "2",
}

// serverFlags are the arguments of the server. Which file it reads has to be said first. A binary log would be a
// second log that every write waits for; neither that nor what the performance schema tells is read by anybody here.
func serverFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	reads := "--no-defaults"
	if pluginOf(spec) != nil {
		reads = "--defaults-file=" + naming.ServerPath + "/" + naming.ServerFileKey
	}
	flags := []string{
		reads,
		"--datadir=" + naming.MariaDBDataPath,
		"--tmpdir=" + naming.TemporaryPath,
		"--socket=" + naming.TemporaryPath + "/mariadb.sock",
		"--pid-file=" + naming.TemporaryPath + "/mariadb.pid",
		"--secure-file-priv=" + naming.UsageFolder,
		"--port=" + strconv.Itoa(naming.MariaDBPort),
		"--skip-name-resolve",
		"--host-cache-size=0",
		"--skip-log-bin",
		"--performance-schema=OFF",
		"--max-connections=" + strconv.Itoa(maxConnections),
		"--max-allowed-packet=" + maxPacket,
	}
	return slices.Concat(flags, engineFlags(spec, s), handlerSocketFlags(spec), parameterFlags(spec, "--"))
}

// parameterFlags are the parameters of a target as arguments that begin like this.
func parameterFlags(spec benchv1alpha1.BenchmarkTargetSpec, prefix string) []string {
	flags := make([]string, 0, len(spec.Parameters))
	for _, parameter := range spec.Parameters {
		flags = append(flags, prefix+parameter.Name+"="+parameter.Value)
	}
	return flags
}

// engineFlags choose the engine of the tables, its memory and how it flushes its log. With MyRocks InnoDB keeps the
// system tables alone.
func engineFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	memory := fmt.Sprintf("%dM", s.CacheMebibytes)
	flushing := logFlushing[*spec.Durability]
	if engineOf(spec) != benchv1alpha1.MariaDBMyRocks {
		return []string{
			"--default-storage-engine=InnoDB",
			"--innodb-buffer-pool-size=" + memory,
			"--innodb-flush-log-at-trx-commit=" + flushing,
		}
	}
	return []string{
		"--plugin-load-add=ha_rocksdb.so",
		"--default-storage-engine=ROCKSDB",
		"--rocksdb-block-cache-size=" + memory,
		"--rocksdb-flush-log-at-trx-commit=" + flushing,
		"--innodb-buffer-pool-size=" + systemTablesMemory,
	}
}

// handlerSocketFlags load the plugin, which is of the maturity beta. Without an address it would listen on the loopback
// interface's only where that is bound to; the shared secret is in the server's file.
func handlerSocketFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	plugin := pluginOf(spec)
	if plugin == nil {
		return nil
	}
	return []string{
		"--plugin-maturity=beta",
		"--plugin-load-add=handlersocket.so",
		"--handlersocket-address=0.0.0.0",
		"--handlersocket-port=" + strconv.Itoa(naming.HandlerSocketPort),
		"--handlersocket-port-wr=" + strconv.Itoa(naming.HandlerSocketWritePort),
		"--handlersocket-threads=" + strconv.Itoa(int(*plugin.ReadThreads)),
		"--handlersocket-threads-wr=" + strconv.Itoa(int(*plugin.WriteThreads)),
		"--handlersocket-accept-balance=1",
		// It writes its product.Settings to the log otherwise, the secret among them.
		"--handlersocket-verbose=0",
		"--handlersocket-timeout=" + strconv.Itoa(handlerSocketIdleSeconds),
	}
}

// serverFile are the server's product.Settings that are secrets: arguments are shown to everybody who may see pods.
// Each port has a secret of its own, and one without any takes everybody's requests, so both are given the same.
func serverFile(fresh product.Credentials) string {
	const lines = "[mariadbd]\nhandlersocket-plain-secret=%[1]s\nhandlersocket-plain-secret-wr=%[1]s\n"
	return fmt.Sprintf(lines, fresh.HandlerSocketSecret)
}

// bootstrapFlags are the arguments of the server that makes the system tables. It has no plugins, so that it must not
// mind settings of theirs; others, such as the size of InnoDB's pages, have to be the same from the beginning.
func bootstrapFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	return slices.Concat([]string{"--no-defaults", "--tmpdir=" + naming.TemporaryPath}, parameterFlags(spec, "--loose-"))
}

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
