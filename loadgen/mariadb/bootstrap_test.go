package mariadb_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
)

// plain are the arguments of a server without plugins, whose data is in a folder.
func plain(folder string, bootstrap mariadb.Bootstrap, port int) []string {
	return []string{
		"--no-defaults", "--datadir=" + bootstrap.Data, "--tmpdir=" + folder,
		"--socket=" + socketOf(folder), "--pid-file=" + filepath.Join(folder, "p"),
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--skip-name-resolve",
		"--innodb-buffer-pool-size=16M",
	}
}

func TestServerHasItsUsersAndNoOthers(t *testing.T) {
	folder := t.TempDir()
	bootstrap := fresh(t, folder)
	if err := bootstrap.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	port := freePorts(t, 1)[0]
	uri := connection(load, port, nil)
	start(t, uri, folder, plain(folder, bootstrap, port))

	target := openAs(t, here(uri))
	collection := planv1.Collection{Name: "c", Fields: []planv1.Field{
		{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence}},
	}}
	if err := target.Prepare(t.Context(), "bench_a", collection); err != nil {
		t.Errorf("the load cannot use its database: %v", err)
	}
	for _, database := range []string{"benchXa", "mysql", "other"} {
		if err := target.Prepare(t.Context(), database, collection); err == nil {
			t.Errorf("the load can make tables in %s", database)
		}
	}
	if err := openAs(t, here(connection(observer, port, nil))).Prepare(t.Context(), "bench_a", collection); err == nil {
		t.Error("the observer can make tables")
	}
	for name, unknown := range map[string]mariadb.Credentials{
		"root without a password":   {Username: "root"},
		"no user":                   {},
		"the load without password": {Username: load.Username},
		"the owner of the views":    {Username: "mariadb.sys"},
	} {
		if err := mariadb.Probe(t.Context(), connection(unknown, port, nil)); err == nil {
			t.Errorf("%s can log in", name)
		}
	}
}

func openAs(t *testing.T, uri string) *sql.Target {
	t.Helper()
	target, err := sql.Open(t.Context(), driver.Config{URIs: []string{uri}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return target
}

func TestDataThatIsThereStaysAndHalfOfItIsMadeAnew(t *testing.T) {
	bootstrap := fresh(t, t.TempDir())
	half := bootstrap.Data + ".making"
	if err := os.MkdirAll(filepath.Join(half, "mysql"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := bootstrap.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("what was half made is there still: %v", err)
	}
	before, err := os.Stat(filepath.Join(bootstrap.Data, "ibdata1"))
	if err != nil {
		t.Fatal(err)
	}
	bootstrap.Server = []string{"/nowhere/mariadbd"}
	if err := bootstrap.Run(t.Context()); err != nil {
		t.Errorf("the second time: %v", err)
	}
	after, err := os.Stat(filepath.Join(bootstrap.Data, "ibdata1"))
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the data was made again (%v)", err)
	}
}

// failing is a bootstrap whose server is a script, which fails. What it was told is in its variable given.
func failing(t *testing.T, script string) mariadb.Bootstrap {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "mariadbd")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ngiven=$(cat)\n"+script+"\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	bootstrap := fresh(t, folder)
	bootstrap.Server = []string{program}
	return bootstrap
}

// TestErrorsOfTheServerAreToldWithoutPasswords: statements have them escaped, and other messages as they are.
func TestErrorsOfTheServerAreToldWithoutPasswords(t *testing.T) {
	bootstrap := failing(t, `printf '%s\n' "$given" "$PLAIN" 'ERROR: no room' >&2`)
	t.Setenv("PLAIN", load.Password+" "+observer.Password)
	err := bootstrap.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "ERROR: no room") || !strings.Contains(err.Error(), load.Username) {
		t.Fatalf("error %v", err)
	}
	for _, secret := range []string{load.Password, observer.Password, `for-the-\'load\'`, `for\\looking`} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s is in the error: %v", secret, err)
		}
	}
	if _, err := os.Stat(bootstrap.Data); !os.IsNotExist(err) {
		t.Errorf("there is data after a failure: %v", err)
	}
}

// TestNoPartOfAPasswordIsTold: only the end of what the server says is told, and a password is where it begins.
func TestNoPartOfAPasswordIsTold(t *testing.T) {
	bootstrap := failing(t, `printf '%s%01995d' "$PLAIN" 0`)
	t.Setenv("PLAIN", observer.Password)
	err := bootstrap.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "000000") || strings.Contains(err.Error(), "oking") {
		t.Errorf("error %v, want its end without a part of the password", err)
	}
}

func TestImageWithoutTheStatementsIsRefused(t *testing.T) {
	bootstrap := mariadb.Bootstrap{
		Server: []string{"mariadbd"}, Data: filepath.Join(t.TempDir(), "d"), Share: []string{"/x"},
	}
	err := bootstrap.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the image must be one of MariaDB") {
		t.Errorf("error %v", err)
	}
}

func TestParametersOfPluginsDoNotHinderTheBootstrap(t *testing.T) {
	bootstrap := fresh(t, t.TempDir(), "--loose-innodb_page_size=8k", "--loose-rocksdb_block_size=8192")
	if err := bootstrap.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProgramIsInstalledSoThatEverybodyCanRunIt(t *testing.T) {
	folder := t.TempDir()
	for range 2 {
		if err := mariadb.Install(folder); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(folder, mariadb.ProgramName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o555 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v (%v), want the program alone", left, err)
	}
}

func TestProbeOfAConnectionStringThatIsNone(t *testing.T) {
	for _, uri := range []string{"", "mysql://secret@:x:y/", "mongodb://user:secret@127.0.0.1"} {
		err := mariadb.Probe(t.Context(), uri)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v", err)
		}
	}
}

// options are those of a connection string that names the ports of HandlerSocket.
func options(read, write int, secret string) url.Values {
	return url.Values{
		"handlersocketPort": {strconv.Itoa(read)}, "handlersocketWritePort": {strconv.Itoa(write)},
		"handlersocketSecret": {secret},
	}
}
