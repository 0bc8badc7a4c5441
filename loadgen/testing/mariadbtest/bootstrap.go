package mariadbtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

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
