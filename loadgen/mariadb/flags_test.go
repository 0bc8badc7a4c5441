package mariadb_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/internal/testing/serverflags"
	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
)

// given reads what the target controller gives a server, as its golden files have it, and what differs in these tests:
// places and ports.
func given(t *testing.T, file string, change map[string]string) []string {
	t.Helper()
	content, err := serverflags.Files.ReadFile("mariadb/" + file)
	if err != nil {
		t.Fatal(err)
	}
	arguments := strings.Split(strings.TrimSpace(string(content)), "\n")
	for i, argument := range arguments {
		name, _, _ := strings.Cut(argument, "=")
		if value, ok := change[name]; ok {
			arguments[i] = name + "=" + value
			delete(change, name)
		}
	}
	for name := range change {
		t.Errorf("%s: %s is not given", file, name)
	}
	return append(arguments, "--bind-address=127.0.0.1")
}

func TestWhatTheControllerGivesIsInForce(t *testing.T) {
	for file, want := range map[string]struct {
		engine, durability string
		cache              int64
	}{
		"innodb.txt":  {"InnoDB", "Synced", 512},
		"myrocks.txt": {"MyRocks", "OSCache", 128},
	} {
		t.Run(file, func(t *testing.T) {
			folder := t.TempDir()
			bootstrap := fresh(t, folder)
			if err := bootstrap.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			port := freePorts(t, 1)[0]
			uri := connection(load, port, nil)
			start(t, uri, folder, given(t, file, map[string]string{
				"--datadir": bootstrap.Data, "--tmpdir": folder, "--socket": socketOf(folder),
				"--pid-file": filepath.Join(folder, "p"), "--port": strconv.Itoa(port), "--secure-file-priv": folder,
			}))
			server, err := openAs(t, here(uri)).Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if server.StorageEngine != want.engine || server.Durability != want.durability ||
				server.CacheMebibytes != want.cache {
				t.Errorf("engine %s, durability %s, cache %d MiB, want %+v", server.StorageEngine, server.Durability,
					server.CacheMebibytes, want)
			}
		})
	}
}

func TestHandlerSocketIsLookedIntoAndFoundDead(t *testing.T) {
	folder := t.TempDir()
	bootstrap := fresh(t, folder)
	if err := bootstrap.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	secrets := filepath.Join(folder, "server.cnf")
	// As the controller writes it into the Secret.
	content := "[mariadbd]\nhandlersocket-plain-secret=among us\nhandlersocket-plain-secret-wr=among us\n"
	if err := os.WriteFile(secrets, []byte(content), 0o440); err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 3)
	uri := connection(load, ports[0], options(ports[1], ports[2], "among us"))
	server := start(t, uri, folder, given(t, "handlersocket.txt", map[string]string{
		"--defaults-file": secrets, "--datadir": bootstrap.Data, "--tmpdir": folder,
		"--socket": socketOf(folder), "--pid-file": filepath.Join(folder, "p"),
		"--port": strconv.Itoa(ports[0]), "--secure-file-priv": folder, "--handlersocket-address": "127.0.0.1",
		"--handlersocket-port": strconv.Itoa(ports[1]), "--handlersocket-port-wr": strconv.Itoa(ports[2]),
	}))
	wrong := connection(load, ports[0], options(ports[1], ports[2], "anything else"))
	if err := mariadb.Probe(t.Context(), wrong); err == nil {
		t.Error("a probe with another secret succeeds")
	}
	if said, err := server.Log(); err != nil || strings.Contains(said, "among us") {
		t.Errorf("the secret is in the log, or there is none: %v", err)
	}
	stopWorkers(t, ports[1])
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := mariadb.Probe(ctx, uri); err == nil {
		t.Error("a probe of a port that takes connections and answers nothing succeeds")
	}
}

// stopWorkers says what makes a port of HandlerSocket deaf for good, to whoever says it.
func stopWorkers(t *testing.T, port int) {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("Q\n")); err != nil {
		t.Fatal(err)
	}
	// The server closes the connection, or leaves it, when it has read this.
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = conn.Read(make([]byte, 1))
}
