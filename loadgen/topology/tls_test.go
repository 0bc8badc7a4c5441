package topology

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestReplicaSetWithTLS: the members speak to one another encrypted, and so does whoever makes the set.
func TestReplicaSetWithTLS(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			checkTLS(t, version)
		})
	}
}

func checkTLS(t *testing.T, version string) {
	t.Helper()
	ctx := deadline(t, 3*time.Minute)
	file := filepath.Join(t.TempDir(), "member.pem")
	if err := os.WriteFile(file, mongotest.Certificate(t), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := startMembers(t, version, 3, "--replSet", "rs0", "--oplogSize", "64", "--tlsMode", "preferTLS",
		"--tlsCertificateKeyFile", file, "--tlsCAFile", file, "--tlsAllowConnectionsWithoutCertificates")
	with := secrets()
	with.CAFile = file
	server, err := Build(ctx, replicaSet(hosts), with)
	if err != nil {
		t.Fatal(err)
	}
	if server.Members != 3 || server.TLS != "Enabled" {
		t.Errorf("found %+v, want a set of 3 with TLS", server)
	}
	target, err := mongodriver.Open(ctx, mongodriver.Config{
		URIs:        []string{"mongodb://" + strings.Join(hosts, ",") + "/?replicaSet=rs0&tls=true"},
		Credentials: folder(t, secrets().Load), ObserverCredentials: folder(t, secrets().Observer), CAFile: file,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(ctx) }()
	members, err := target.Members(ctx)
	if err != nil || len(members) != 3 {
		t.Errorf("%d members, %v", len(members), err)
	}
	for _, member := range members {
		if member.Role() == "" {
			t.Errorf("member %s does not answer the observer", member.Name())
		}
		member.Close()
	}
}

func TestAnAuthorityThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	with := secrets()
	with.CAFile = "/nowhere/ca.crt"
	hosts := startMembers(t, "6.0.5", 1)
	_, err := Build(deadline(t, 20*time.Second), standalone(hosts), with)
	if err == nil || !strings.Contains(err.Error(), "/nowhere/ca.crt") {
		t.Errorf("error %v, want one with the file", err)
	}
}

// folder holds credentials as a mounted Secret does.
func folder(t *testing.T, user Credentials) string {
	t.Helper()
	path := t.TempDir()
	for name, content := range map[string]string{"username": user.Username, "password": user.Password} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
