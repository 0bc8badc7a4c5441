package recipe

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/server"
)

// TestMariaDBOfTheImageRunsWithNothingButItsFilesAndNoPrivilege needs root for the change of root folder.
func TestMariaDBOfTheImageRunsWithNothingButItsFilesAndNoPrivilege(t *testing.T) {
	inImages(t, "mariadb", server.MariaDB.Defaults, func(t *testing.T, root string) {
		t.Helper()
		makeTables(t, root)
		address, stop := startMariaDB(t, root)
		if err := awaitGreeting(t.Context(), address); err != nil {
			t.Error(err)
		}
		stop()
	})
}

// inImage is a command of the image's server, with the image as its root folder, and what it will have said.
func inImage(ctx context.Context, root string, arguments ...string) (*exec.Cmd, *bytes.Buffer) {
	said := &bytes.Buffer{}
	server := exec.CommandContext(ctx, mariadbImage.binary, append([]string{
		"--no-defaults", "--datadir=/var/lib/mysql/data", "--tmpdir=/tmp",
	}, arguments...)...)
	server.Dir, server.Env = "/", []string{searchPath}
	server.Stdout, server.Stderr = said, said
	server.SysProcAttr = &syscall.SysProcAttr{
		Chroot:     root,
		Credential: &syscall.Credential{Uid: uint32(mariadbImage.user.id), Gid: uint32(mariadbImage.user.id)},
		Pdeathsig:  syscall.SIGKILL,
	}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 20 * time.Second
	return server, said
}

// makeTables has the server make its system tables from the statements in the image.
func makeTables(t *testing.T, root string) {
	t.Helper()
	data := filepath.Join(root, "var/lib/mysql/data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, mariadbImage.user.id, mariadbImage.user.id); err != nil {
		t.Fatal(err)
	}
	statements := bytes.NewBufferString("create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n")
	for _, name := range []string{
		"mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql",
	} {
		content, err := os.ReadFile(filepath.Join(root, mariadbImage.share, name))
		if err != nil {
			t.Fatal(err)
		}
		statements.Write(append(content, '\n'))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, said := inImage(ctx, root, "--bootstrap", "--skip-networking")
	server.Stdin = statements
	if err := server.Run(); err != nil {
		t.Fatalf("making the system tables: %v: %s", err, said)
	}
}

// startMariaDB runs the server with both plugins. The function it returns stops the server and waits for it.
func startMariaDB(t *testing.T, root string) (string, func()) {
	t.Helper()
	host, port := freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	server, said := inImage(ctx, root, "--bind-address="+host, "--port="+port, "--socket=/tmp/s", "--pid-file=/tmp/p",
		"--plugin-maturity=beta", "--plugin-load-add=handlersocket.so", "--plugin-load-add=ha_rocksdb.so")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		cancel()
		if err := server.Wait(); server.ProcessState.ExitCode() != 0 {
			t.Errorf("server ended with %v: %s", err, said)
		}
	}
	return net.JoinHostPort(host, port), stop
}

// awaitGreeting reads what a server says first to a client that connects: the version of the protocol, and its own.
func awaitGreeting(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		greeting, err := greetingOf(ctx, address)
		if err == nil && bytes.Contains(greeting, []byte("-MariaDB")) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no greeting from %s in 30 s: %q, %w", address, greeting, err)
		case <-ticker.C:
		}
	}
}

func greetingOf(ctx context.Context, address string) ([]byte, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return nil, err
	}
	greeting := make([]byte, 256)
	length, err := connection.Read(greeting)
	return greeting[:length], err
}
