package naming

import "fmt"

// What is the same in every target of kind MariaDB.
const (
	// ComponentMariaDB is the server.
	ComponentMariaDB Component = "mariadb"
	// MariaDBSet is the place of the one server.
	MariaDBSet = "mariadb"

	// MariaDBPort is that of SQL. The other two are those of HandlerSocket: one for reading, one for writing as well.
	MariaDBPort            = 3306
	HandlerSocketPort      = 9998
	HandlerSocketWritePort = 9999
)

// Keys of the Secret of the load, besides the user's name and password.
const (
	// URIKey holds the connection string with all that a client needs.
	URIKey = "uri"
	// ServerFileKey holds those settings of the server that are secrets.
	ServerFileKey = "server.cnf"
)

// Where the containers of a MariaDB's pod find what they are given.
const (
	// MariaDBDataPath is a folder within the volume: a volume may hold a lost+found, which is no database.
	MariaDBDataPath = DataPath + "/mariadb"
	// UsageFolder is the one folder that a statement can read files of, and UsageFile the one file in it: what the
	// server's process uses.
	UsageFolder = TemporaryPath + "/server"
	UsageFile   = UsageFolder + "/usage"
	// ToolsPath has the load generator's program, in containers of other images.
	ToolsPath = "/tools"
	// ServerPath has what the server may read of the Secret of the load.
	ServerPath = "/etc/mongobench/server"
)

// Names of the containers of a MariaDB's pod.
const (
	MariaDBContainer   = "mariadb"
	InstallContainer   = "install"
	BootstrapContainer = "bootstrap"
)

// SyncLatencyContainer measures how long the volume of a member takes to bring a block to its disk.
const SyncLatencyContainer = "sync-latency"

// MariaDBHost is the name that the server of a target is reached at, without a port.
func MariaDBHost(target, namespace string) string {
	return fmt.Sprintf("%s.%s.%s.svc", MemberPod(target, MariaDBSet, 0), MembersService(target), namespace)
}
