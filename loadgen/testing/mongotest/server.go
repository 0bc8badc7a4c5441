package mongotest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

// Versions of the servers that most tests run against: one that still speaks the old protocol, and a current one.
func Versions() []string {
	return []string{"4.4.2", "6.0.5"}
}

// All are the versions of all servers that `make mongod` fetches, for tests of what depends on the version: flags,
// commands and the ways of talking to a server.
func All() []string {
	return []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"}
}

// Newest is the version of those that take most commands, for tests that take too long to be repeated with others.
func Newest() string {
	return "6.0.5"
}

// Server is a running mongod.
type Server struct {
	process.Process
	Version string
	// Address as host:port.
	Address string
	// Folder that its data is in.
	Folder string
}

// URI is the connection string of the server.
func (s *Server) URI() string {
	return "mongodb://" + s.Address + "/?directConnection=true"
}

// Stop ends the server at once and removes its data. It may be called again.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.Folder)
}

// Pause keeps the server from running for a time, and returns how long it stood still at least. Its connections stay
// open, and the kernel goes on taking what is sent to it.
func (s *Server) Pause(length time.Duration) (time.Duration, error) {
	if err := s.Suspend(); err != nil {
		return 0, fmt.Errorf("stopping mongod: %w", err)
	}
	stopped := time.Now()
	time.Sleep(length)
	stood := time.Since(stopped)
	if err := s.Resume(); err != nil {
		return 0, fmt.Errorf("letting mongod go on: %w", err)
	}
	return stood, nil
}

var shared process.Shared[*Server]

// Shared returns the server of this version that all tests of the package use. The package's TestMain must call Main.
func Shared(tb testing.TB, version string) *Server {
	tb.Helper()
	return SharedAs(tb, "", version)
}

// SharedAs is Shared for servers that have a name beside their version, and more arguments for mongod: those of the
// test that needs it first.
func SharedAs(tb testing.TB, name, version string, arguments ...string) *Server {
	tb.Helper()
	return shared.Get(name+" "+version, func() *Server {
		return start(tb, version, loopback, usual(loopback, arguments...))
	})
}

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func Main(m *testing.M) int { return shared.Main(m) }

// Start starts a server for one test, with more arguments for mongod.
func Start(tb testing.TB, version string, arguments ...string) *Server {
	tb.Helper()
	return StartExactly(tb, version, usual(loopback, arguments...))
}

// Addresses of this machine that servers listen on.
const (
	loopback     = "127.0.0.1"
	loopbackIPv6 = "::1"
)

// StartIPv6 starts a server for one test that is reached by IPv6 alone.
func StartIPv6(tb testing.TB, version string) *Server {
	tb.Helper()
	server := start(tb, version, loopbackIPv6, usual(loopbackIPv6, "--ipv6"))
	tb.Cleanup(server.Stop)
	return server
}

// Arguments make the arguments of a mongod from the folder of its data and its port.
type Arguments func(data string, port int) []string

// StartExactly starts a server for one test with these arguments and no others.
func StartExactly(tb testing.TB, version string, arguments Arguments) *Server {
	tb.Helper()
	server := start(tb, version, loopback, arguments)
	tb.Cleanup(server.Stop)
	return server
}

// usual are arguments for a server that takes little and is reached at this address alone, and more.
func usual(address string, more ...string) Arguments {
	return func(data string, port int) []string {
		return append([]string{
			"--dbpath", data, "--port", strconv.Itoa(port), "--bind_ip", address, "--nounixsocket",
			"--wiredTigerCacheSizeGB", "0.25", "--wiredTigerEngineConfigString", "log=(prealloc=false)",
			// Tests log in often, and with the race detector a login takes longer than all else that they do.
			"--setParameter", "scramIterationCount=5000", "--setParameter", "scramSHA256IterationCount=5000",
			// The diagnostic data that a server writes every second is not read.
			"--setParameter", "diagnosticDataCollectionEnabled=false",
		}, more...)
	}
}

func start(tb testing.TB, version, address string, arguments Arguments) *Server {
	tb.Helper()
	home := filepath.Join(process.Cache(tb), "mongod", version)
	program := filepath.Join(home, "mongod")
	if _, err := os.Stat(program); err != nil {
		tb.Skipf("needs mongod: %v; make mongod fetches it", err)
	}
	return process.Start(tb, func(folder string, port int) (*Server, error) {
		server := &Server{
			Version: version, Address: net.JoinHostPort(address, strconv.Itoa(port)), Folder: folder,
			Process: process.Process{LogFile: filepath.Join(folder, "mongod.log")},
		}
		given := arguments(folder, port)
		server.Command = func() *exec.Cmd { return process.Command(program, filepath.Join(home, "lib"), given...) }
		server.Answers = func(ctx context.Context) error { return greet(ctx, server.Address) }
		return server, server.Run(tb.Context())
	})
}

// replyTimeout is how long a server that is started has to shake hands.
const replyTimeout = time.Second

// greet asks a server for a sign of life. A driver would do it too, but would bring its own idea of waiting and
// repeating.
func greet(ctx context.Context, address string) error {
	connection, err := wire.Dial(ctx, address, wire.Config{Timeout: replyTimeout})
	if err == nil {
		connection.Close()
	}
	return err
}

// Certificate makes a certificate of 127.0.0.1 that signed itself, and its key, in one file as mongod wants it.
func Certificate(tb testing.TB) []byte {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mongod"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
}
