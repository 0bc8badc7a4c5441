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
	flags := make([]string, 0, len(spec.MariaDB.Parameters))
	for _, parameter := range spec.MariaDB.Parameters {
		flags = append(flags, prefix+parameter.Name+"="+parameter.Value)
	}
	return flags
}

// engineFlags choose the engine of the tables, its memory and how it flushes its log. With MyRocks InnoDB keeps the
// system tables alone.
func engineFlags(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) []string {
	memory := fmt.Sprintf("%dM", s.CacheMebibytes)
	flushing := logFlushing[*spec.MariaDB.Durability]
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
// interface's only where that is bound to; the shared secret is in the server's file. The plugin knows no IPv6: with
// such an address the server of 10.11.18 aborts.
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

// Variable is a system variable, or an option of the server, that only the operator sets.
type Variable struct {
	Name string
	// Field of a target that stands for it. Empty: none does, and Why says why it may not be set.
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
var variables = slices.Concat(
	// Whether a server has these engines. They begin the names of others in the table, and so come first.
	fieldFor("engine", "innodb", "rocksdb"),
	fieldFor("storage", "datadir", "innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory",
		"rocksdb_datadir", "rocksdb_wal_dir"),
	never(inPod, "tmpdir", "basedir", "socket", "pid_file", "port", "bind_address", "networking", "name_resolve",
		"host_cache_size", "secure_file_priv", "user", "chroot", "defaults_file", "defaults_extra_file",
		"defaults_group_suffix", "no_defaults"),
	never(output, "log_error", "console"),
	fieldFor("engine", "default_storage_engine"),
	fieldFor("bufferPoolMebibytes", "innodb_buffer_pool_size", "rocksdb_block_cache_size"),
	fieldFor("durability", "innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit"),
	fieldFor("handlerSocket", "plugin_load", "plugin_load_add"),
	never(inPod, "plugin_dir"),
	fieldFor("handlerSocket", "plugin_maturity", handlerSocket),
	never(users, "ssl", "require_secure_transport", "grant_tables", "init_file", "init_connect", "old_passwords"),
	never(otherTask, "bootstrap", "help", "version", "wsrep_on"),
)

// fieldFor are variables that one field stands for.
func fieldFor(field string, names ...string) (all []Variable) {
	for _, name := range names {
		all = append(all, Variable{Name: name, Field: field})
	}
	return all
}

// never are variables that cannot be given, for one reason.
func never(why string, names ...string) (all []Variable) {
	for _, name := range names {
		all = append(all, Variable{Name: name, Why: why})
	}
	return all
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
