package mariadb

import (
	"fmt"
	"strings"
)

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
