package mariadb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

const (
	// making is what the name of the data's folder ends with until everything is in it.
	making = ".making"
	// saidBytes of what the server said go into an error: enough for the cause.
	saidBytes = 2000
)

// scripts are the statements that make the system tables, in this order, as every MariaDB brings them along.
var scripts = []string{
	"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql",
}

// ShareFolders are where images have them.
func ShareFolders() []string { return []string{"/usr/share/mysql", "/usr/share/mariadb"} }

// Credentials are the name and the password of a user.
type Credentials struct {
	Username, Password string
}

// Bootstrap makes the data that a server starts with: the system tables and the users.
type Bootstrap struct {
	// Server is the program and its arguments, without those that Run adds.
	Server []string
	// Data is the folder to make.
	Data string
	// Share are folders of which one holds the scripts.
	Share []string
	// Databases that the load's user may do everything in.
	Databases []string
	// Load is the user of the load, Observer the one that looks at the server.
	Load, Observer Credentials
}

// Run makes the folder of the data, once: one that is there is left alone. The folder gets its name when everything is
// in it, so what was begun and not ended is done again.
func (b Bootstrap) Run(ctx context.Context) error {
	if _, err := os.Stat(b.Data); err == nil {
		return nil
	}
	fresh := b.Data + making
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("removing what was not finished: %w", err)
	}
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return fmt.Errorf("making the folder of the data: %w", err)
	}
	statements, err := b.statements()
	if err != nil {
		return err
	}
	if err := b.feed(ctx, fresh, statements); err != nil {
		return fmt.Errorf("making the system tables: %w", err)
	}
	if err := os.Rename(fresh, b.Data); err != nil {
		return fmt.Errorf("naming the folder of the data: %w", err)
	}
	return syncFolder(filepath.Dir(b.Data))
}

// statements are all that the server is told. Passwords are in them, so they go to its standard input and nowhere else.
func (b Bootstrap) statements() (io.Reader, error) {
	parts := []io.Reader{strings.NewReader("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n")}
	folder, err := b.shareFolder()
	if err != nil {
		return nil, err
	}
	for _, name := range scripts {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("reading the statements that make the system tables: %w", err)
		}
		parts = append(parts, bytes.NewReader(content), strings.NewReader("\n"))
	}
	return io.MultiReader(append(parts, strings.NewReader(b.users()))...), nil
}

func (b Bootstrap) shareFolder() (string, error) {
	for _, folder := range b.Share {
		if _, err := os.Stat(filepath.Join(folder, scripts[0])); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no %s in %s: the image must be one of MariaDB", scripts[0], strings.Join(b.Share, " or "))
}

// feed runs the server in the mode in which it reads statements from its standard input and ends.
func (b Bootstrap) feed(ctx context.Context, folder string, statements io.Reader) error {
	arguments := append([]string{}, b.Server[1:]...)
	arguments = append(arguments, "--datadir="+folder, "--bootstrap", "--skip-networking")
	server := exec.CommandContext(ctx, b.Server[0], arguments...) //nolint:gosec // Which server is the caller's to say.
	var said bytes.Buffer
	server.Stdin, server.Stdout, server.Stderr = statements, &said, &said
	err := server.Run()
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", b.Server[0], err, tail(b.withoutPasswords(said.String())))
	}
	return nil
}

// withoutPasswords is what the server said, which quotes a statement that it did not understand: passwords as they are,
// and as statements have them.
func (b Bootstrap) withoutPasswords(said string) string {
	var secrets []string
	for _, user := range []Credentials{b.Load, b.Observer} {
		if user.Password != "" {
			quoted := text(user.Password)
			secrets = append(secrets, user.Password, quoted[1:len(quoted)-1])
		}
	}
	// Of two that begin alike the longer one is to go as a whole.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		said = strings.ReplaceAll(said, secret, "xxxxx")
	}
	return said
}

func tail(said string) string {
	said = strings.TrimSpace(said)
	if len(said) > saidBytes {
		return strings.ToValidUTF8(said[len(said)-saidBytes:], "")
	}
	return said
}

// syncFolder makes a new name in a folder outlast a failure of the machine.
func syncFolder(folder string) error {
	opened, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// ProbeDatabase and ProbeTable name the table that a probe of HandlerSocket opens. It is empty.
const (
	ProbeDatabase = "mongobench_probe"
	ProbeTable    = "probe"
	probeColumn   = "id"
)

// systemAccount owns views of the system tables; no one can log in as it.
const systemAccount = "mariadb.sys"

// users are the statements that leave three accounts: the load's, the observer's, and an administrator's for people,
// who get in through the socket of the server as the system's own user. All that the scripts made can log in without a
// password.
func (b Bootstrap) users() string {
	var all strings.Builder
	say := func(format string, arguments ...any) { fmt.Fprintf(&all, format+";\n", arguments...) }
	say("DELETE FROM mysql.global_priv WHERE User <> %s", text(systemAccount))
	say("DELETE FROM mysql.db")
	say("FLUSH PRIVILEGES")
	say("CREATE USER root@localhost IDENTIFIED VIA unix_socket AS 'mysql'")
	say("GRANT ALL ON *.* TO root@localhost WITH GRANT OPTION")
	load, observer := text(b.Load.Username)+"@'%'", text(b.Observer.Username)+"@'%'"
	say("CREATE USER %s IDENTIFIED BY %s", load, text(b.Load.Password))
	say("CREATE USER %s IDENTIFIED BY %s", observer, text(b.Observer.Password))
	for _, database := range b.Databases {
		say("GRANT ALL ON %s.* TO %s", pattern(database), load)
		// What tables take on disk is told only to those who may read them, and what their indexes do in a table of its own.
		say("GRANT SELECT ON %s.* TO %s", pattern(database), observer)
	}
	// The file that it may read is the one that says what the server's process uses: the server is told its folder.
	say("GRANT PROCESS, FILE ON *.* TO %s", observer)
	say("GRANT SELECT ON mysql.innodb_index_stats TO %s", observer)
	say("CREATE DATABASE %s", name(ProbeDatabase))
	say("CREATE TABLE %s.%s (%s INT PRIMARY KEY) ENGINE=InnoDB", name(ProbeDatabase), name(ProbeTable), name(probeColumn))
	return all.String()
}

// text is a string as a statement has it.
func text(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(value) + "'"
}

// name is a name as a statement has it.
func name(value string) string {
	return "`" + strings.ReplaceAll(value, "`", "``") + "`"
}

// pattern is the name of a database in a grant, where two characters would stand for others.
func pattern(database string) string {
	return name(strings.NewReplacer("_", `\_`, "%", `\%`).Replace(database))
}

const (
	// loopback is where a probe finds the server: it is in the same pod.
	loopback = "127.0.0.1"
	// probeTimeout is how long the server has for each answer. Whoever asks has a limit of their own.
	probeTimeout = 15 * time.Second
)

// Probe asks whether the server of a connection string, on this machine, works: it logs in and, where the connection
// string names the ports of HandlerSocket, looks into a table through each of them.
func Probe(ctx context.Context, uri string) error {
	here, err := onLoopback(uri)
	if err != nil {
		return err
	}
	target, err := sql.Open(ctx, driver.Config{
		URIs: []string{here}, OperationTimeout: probeTimeout, SelectionTimeout: probeTimeout,
	})
	if err != nil {
		return fmt.Errorf("logging in: %w", err)
	}
	plugin := target.Location().HandlerSocket
	if err := target.Close(ctx); err != nil || plugin == nil {
		return err
	}
	for _, port := range []int{plugin.Port, plugin.WritePort} {
		err := handlersocket.Alive(ctx, handlersocket.Probe{
			Address: net.JoinHostPort(loopback, strconv.Itoa(port)), Secret: plugin.Secret,
			Database: ProbeDatabase, Table: ProbeTable, Column: probeColumn, Key: "1", Timeout: probeTimeout,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// onLoopback is a connection string with another host. Its errors hold nothing of it.
func onLoopback(uri string) (string, error) {
	parsed, err := url.Parse(uri)
	if err != nil {
		return "", errors.New("the connection string cannot be read")
	}
	parsed.Host = net.JoinHostPort(loopback, parsed.Port())
	if parsed.Port() == "" {
		parsed.Host = loopback
	}
	return parsed.String(), nil
}
