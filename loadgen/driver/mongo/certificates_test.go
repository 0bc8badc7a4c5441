package mongo_test

import (
	"bytes"
	"context"
	"crypto/x509/pkix"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

const (
	// srvName is what a connection string of mongodb+srv names, and srvMember the server that DNS says is behind it.
	srvName   = "db.bench.test."
	srvMember = "member-0.bench.test."
	// clientSubject is what a server calls the client's certificate.
	clientSubject = "CN=load,O=clients"
)

// certified is a server that knows one user, by its certificate.
type certified struct {
	server *mongotest.Server
	// authorities is a file, and client, stranger and mixed are folders with a certificate: of the user, of nobody, and
	// with a key that belongs to another one.
	authorities, client, stranger, mixed string
}

func newCertified(t *testing.T, version string) certified {
	t.Helper()
	folder, authority := t.TempDir(), mongotest.NewAuthority(t)
	write := func(content []byte, path ...string) string {
		file := filepath.Join(append([]string{folder}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pair := func(name string, certificate, key []byte) string {
		write(key, name, "tls.key")
		return filepath.Dir(write(certificate, name, "tls.crt"))
	}
	member := strings.TrimSuffix(srvMember, ".")
	certificate, key := authority.Issue(t, pkix.Name{CommonName: "mongod"}, "127.0.0.1", member)
	file := write(slices.Concat(certificate, key), "server.pem")
	c := certified{authorities: write(authority.PEM(), "ca.crt")}
	shown, private := authority.Issue(t, pkix.Name{CommonName: "load", Organization: []string{"clients"}})
	c.client, c.mixed = pair("client", shown, private), pair("mixed", shown, key)
	shown, private = authority.Issue(t, pkix.Name{CommonName: "stranger", Organization: []string{"clients"}})
	c.stranger = pair("stranger", shown, private)

	c.server = mongotest.Start(t, version, "--auth", "--tlsMode", "preferTLS", "--tlsCertificateKeyFile", file,
		"--tlsCAFile", c.authorities, "--tlsAllowConnectionsWithoutCertificates")
	anonymous, err := driver.Connect(options.Client().ApplyURI(c.server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = anonymous.Disconnect(context.Background()) })
	// The localhost exception lets an anonymous client make the first user.
	err = anonymous.Database("$external").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: clientSubject},
		{Key: "roles", Value: bson.A{bson.D{{Key: "role", Value: "root"}, {Key: "db", Value: "admin"}}}},
	}).Err()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const byCertificate = "&authMechanism=MONGODB-X509"

func TestAClientIsKnownByItsCertificate(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			c := newCertified(t, version)
			for name, tc := range map[string]struct {
				client, authorities, want string
			}{
				"its own":                  {c.client, c.authorities, ""},
				"that of somebody else":    {c.stranger, c.authorities, "stranger"},
				"none":                     {"", c.authorities, "authentication"},
				"one with another's key":   {c.mixed, c.authorities, "reading the client's certificate"},
				"one that is not there":    {c.client + "-gone", c.authorities, "reading the client's certificate"},
				"a server that is unknown": {c.client, "", "certificate"},
			} {
				t.Run(name, func(t *testing.T) {
					config := mongo.Config{
						URIs: []string{c.server.URI() + byCertificate}, CAFile: tc.authorities, ClientCertificate: tc.client,
					}
					checkOpens(t, config, tc.want)
				})
			}
		})
	}
}

// checkOpens opens a target and writes to it, or checks that it cannot be, and that keys are not told.
func checkOpens(t *testing.T, config mongo.Config, wantErr string) {
	t.Helper()
	if wantErr != "" {
		config.SelectionTimeout = 5 * time.Second // Some of these are never answered.
	}
	target, err := mongo.Open(t.Context(), config)
	if wantErr != "" {
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(wantErr)) {
			t.Fatalf("error %v, want one with %q", err, wantErr)
		}
		if strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("the error tells a key: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	server, err := target.Describe(t.Context())
	if err != nil || server.TLS != "Enabled" {
		t.Errorf("described as %+v, %v", server, err)
	}
}

// TestADeploymentIsFoundByItsName has a DNS server of the test's own answer, as a cluster's would.
func TestADeploymentIsFoundByItsName(t *testing.T) {
	version := mongotest.Newest()
	c := newCertified(t, version)
	_, port, err := net.SplitHostPort(c.server.Address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	// With the option in TXT a client without one in its connection string logs in to the right database.
	resolveBy(t, serveNames(t, uint16(number), "authSource=$external"))
	uri := "mongodb+srv://" + strings.TrimSuffix(srvName, ".") + "/?authMechanism=MONGODB-X509"
	checkOpens(t, mongo.Config{URIs: []string{uri}, CAFile: c.authorities, ClientCertificate: c.client}, "")
	checkOpens(t, mongo.Config{URIs: []string{uri}, CAFile: c.authorities, ClientCertificate: c.stranger}, "stranger")
	checkOpens(t, mongo.Config{URIs: []string{strings.Replace(uri, "db.", "other.", 1)}}, "other.bench.test")
}

// resolveBy has this program ask another DNS server for the time of a test.
func resolveBy(t *testing.T, address string) {
	t.Helper()
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", address)
		},
	}
	t.Cleanup(func() { net.DefaultResolver = usual })
}

// serveNames answers who is behind srvName, and where, until the end of the test.
func serveNames(t *testing.T, port uint16, option string) (address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	known := map[string]dnsmessage.ResourceBody{
		"_mongodb._tcp." + srvName + dnsmessage.TypeSRV.String(): &dnsmessage.SRVResource{
			Port: port, Target: dnsmessage.MustNewName(srvMember),
		},
		srvName + dnsmessage.TypeTXT.String(): &dnsmessage.TXTResource{TXT: []string{option}},
		srvMember + dnsmessage.TypeA.String(): &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
	}
	go func() {
		for {
			buffer := make([]byte, 4096)
			size, from, err := listener.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := answerOf(buffer[:size], known); reply != nil {
				_, _ = listener.WriteTo(reply, from)
			}
		}
	}()
	return listener.LocalAddr().String()
}

// answerOf is what a DNS server answers: the record, none of this type, or that there is no such name.
func answerOf(asked []byte, known map[string]dnsmessage.ResourceBody) []byte {
	var message dnsmessage.Message
	if err := message.Unpack(asked); err != nil || len(message.Questions) != 1 {
		return nil
	}
	question := message.Questions[0]
	message.Response, message.Additionals = true, nil
	body, found := known[question.Name.String()+question.Type.String()]
	if found {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 1},
			Body:   body,
		}}
	} else if !bytes.Contains([]byte(srvName+srvMember), []byte(question.Name.String())) {
		message.RCode = dnsmessage.RCodeNameError
	}
	reply, err := message.Pack()
	if err != nil {
		return nil
	}
	return reply
}
