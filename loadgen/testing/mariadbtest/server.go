package mariadbtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

// The users of every server. The load's may do everything, and the observer's what the operator's may.
const (
	User             = "load"
	Password         = "s3cret of load"
	ObserverUser     = "observer"
	ObserverPassword = "s3cret of observer"
)

// Server is a running mariadbd.
type Server struct {
	process.Process
	// Address as host:port, which one that was started by Run does not know, and Socket the path of its socket.
	Address, Socket string
	// Folder that its data is in.
	Folder  string
	program Program
}

// URI is the connection string of the load's user, over the loopback interface.
func (s *Server) URI() string {
	return "mysql://" + User + ":" + strings.ReplaceAll(Password, " ", "%20") + "@" + s.Address + "/"
}

// SocketURI is the connection string of the load's user, over the socket.
func (s *Server) SocketURI() string {
	return "mysql://" + User + ":" + strings.ReplaceAll(Password, " ", "%20") + "@localhost/?socket=" + s.Socket
}

// Stop ends the server at once and removes its data. It may be called again.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.Folder)
}

// MyRocks are the arguments of a server whose tables are MyRocks' unless they say otherwise.
func MyRocks() []string {
	return []string{
		"--plugin-load-add=ha_rocksdb.so", "--default-storage-engine=rocksdb", "--rocksdb-block-cache-size=32M",
	}
}

// HandlerSocket are the arguments of a server that takes that protocol at these ports of the loopback interface.
func HandlerSocket(port, writePort int, secret string) []string {
	return []string{
		"--plugin-maturity=beta", "--plugin-load-add=handlersocket.so", "--handlersocket-address=127.0.0.1",
		"--handlersocket-port=" + strconv.Itoa(port), "--handlersocket-port-wr=" + strconv.Itoa(writePort),
		"--handlersocket-threads=4", "--handlersocket-threads-wr=1", "--handlersocket-plain-secret=" + secret,
		"--handlersocket-plain-secret-wr=" + secret,
	}
}

var shared process.Shared[*Server]

// Shared returns the server that all tests of the package use. The package's TestMain must call Main.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	return SharedAs(tb, "")
}

// SharedAs is Shared for servers that have a name, and more arguments: those of the test that needs it first.
func SharedAs(tb testing.TB, name string, arguments ...string) *Server {
	tb.Helper()
	return shared.Get(name, func() *Server { return start(tb, arguments) })
}

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// Start starts a server for one test, with more arguments for mariadbd.
func Start(tb testing.TB, arguments ...string) *Server {
	tb.Helper()
	server := start(tb, arguments)
	tb.Cleanup(server.Stop)
	return server
}

// Run starts a server on data that a test has made itself, in a folder that takes the log as well: with the program's
// arguments and the test's, which say where the data, the socket and the ports are. It stops with the test.
func Run(tb testing.TB, folder, socket string, arguments ...string) *Server {
	tb.Helper()
	server := newServer(Installed(tb), folder, socket)
	if err := server.runWith(tb.Context(), slices.Concat(arguments, server.program.Arguments())); err != nil {
		tb.Fatalf("starting mariadbd: %v", err)
	}
	tb.Cleanup(server.Kill)
	return server
}

func newServer(program Program, folder, socket string) *Server {
	server := &Server{
		Socket: socket, Folder: folder, program: program,
		Process: process.Process{LogFile: filepath.Join(folder, "log")},
	}
	server.Answers = server.greeted
	return server
}

func (s *Server) runWith(ctx context.Context, arguments []string) error {
	s.Command = func() *exec.Cmd { return s.program.command(arguments) }
	return s.Run(ctx)
}

// start starts a server on new data, and waits until it takes connections.
func start(tb testing.TB, arguments []string) *Server {
	tb.Helper()
	program := Installed(tb)
	return process.Start(tb, func(folder string, port int) (*Server, error) {
		server := newServer(program, folder, filepath.Join(folder, "sock"))
		server.Address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if err := server.bootstrap(); err != nil {
			return nil, err
		}
		local := []string{"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port)}
		return server, server.runWith(tb.Context(), slices.Concat(server.usual(), arguments, local))
	})
}

// usual are arguments for a server that takes little.
func (s *Server) usual() []string {
	return append([]string{
		"--no-defaults", "--basedir=" + s.program.home, "--datadir=" + filepath.Join(s.Folder, "data"),
		"--tmpdir=" + filepath.Join(s.Folder, "tmp"), "--socket=" + s.Socket,
		"--pid-file=" + filepath.Join(s.Folder, "pid"),
		"--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--aria-log-file-size=8M",
		"--innodb-use-native-aio=0", "--performance-schema=off", "--skip-name-resolve", "--host-cache-size=0",
	}, s.program.Arguments()...)
}

// greeted is nil once the server takes connections: it then says the first word.
func (s *Server) greeted(ctx context.Context) error {
	connection, err := new(net.Dialer).DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, err = io.ReadFull(connection, make([]byte, 5))
	return err
}

// systemTables are the scripts that make the server's own tables, in their order.
var systemTables = []string{
	"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql",
}

// users are made after the system tables.
const users = `
FLUSH PRIVILEGES;
CREATE USER '` + User + `'@'%' IDENTIFIED BY '` + Password + `';
GRANT ALL PRIVILEGES ON *.* TO '` + User + `'@'%';
CREATE USER '` + ObserverUser + `'@'%' IDENTIFIED BY '` + ObserverPassword + `';
GRANT PROCESS ON *.* TO '` + ObserverUser + `'@'%';
GRANT SELECT ON mysql.innodb_index_stats TO '` + ObserverUser + `'@'%';
`

// bootstrap makes the server's own tables and the users in an empty folder, by SQL on its standard input.
func (s *Server) bootstrap() error {
	for _, name := range []string{"data", "tmp"} {
		if err := os.Mkdir(filepath.Join(s.Folder, name), 0o700); err != nil {
			return err
		}
	}
	var sql strings.Builder
	sql.WriteString("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n")
	for _, name := range systemTables {
		script, err := os.ReadFile(filepath.Join(s.program.Share(), name))
		if err != nil {
			return err
		}
		sql.Write(script)
		sql.WriteByte('\n')
	}
	sql.WriteString(users)
	arguments := append(s.usual(), "--bootstrap", "--skip-networking")
	command := s.program.command(arguments)
	command.Stdin = strings.NewReader(sql.String())
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return fmt.Errorf("making the tables of a server: %w; it says:\n%s", err, process.Tail(output.String()))
	}
	return nil
}

// Program is a mariadbd that does not lie where it was built to lie.
type Program struct{ home string }

// Installed is the newest program that `make mariadb` has brought. A test is skipped where there is none.
func Installed(tb testing.TB) Program {
	tb.Helper()
	cache := process.Cache(tb)
	found, err := filepath.Glob(filepath.Join(cache, "mariadb", "*", "bin", "mariadbd"))
	if err != nil || len(found) == 0 {
		tb.Skipf("needs mariadb: there is none under %s; make mariadb fetches it", filepath.Join(cache, "mariadb"))
	}
	return Program{filepath.Dir(filepath.Dir(slices.Max(found)))}
}

// Path is the program's own.
func (p Program) Path() string { return filepath.Join(p.home, "bin", "mariadbd") }

// Share is the folder with the statements that make the system tables.
func (p Program) Share() string { return filepath.Join(p.home, "share") }

// Libraries is the folder that LD_LIBRARY_PATH has to name when the program is run.
func (p Program) Libraries() string { return filepath.Join(p.home, "lib") }

// Arguments tell it where its files lie.
func (p Program) Arguments() []string {
	arguments := []string{
		"--lc-messages-dir=" + p.Share(), "--character-sets-dir=" + filepath.Join(p.Share(), "charsets"),
		"--plugin-dir=" + filepath.Join(p.home, "plugin"),
	}
	if os.Geteuid() == 0 {
		// It refuses to run as root unless it is told to.
		arguments = append(arguments, "--user=root")
	}
	return arguments
}

// command runs it.
func (p Program) command(arguments []string) *exec.Cmd {
	return process.Command(p.Path(), p.Libraries(), arguments...)
}
