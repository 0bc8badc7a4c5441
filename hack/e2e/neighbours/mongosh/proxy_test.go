//go:build e2e

package mongosh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// proxy is a SOCKS server (RFC 1928) that stands for the cluster's network: who asks it for a member by the name that
// the member has there reaches the member's pod, by a forwarded port. Names are not resolved, so that they have to be
// right.
type proxy struct {
	namespace *harness.Namespace
	test      *testing.T

	mu sync.Mutex
	// forwarded are the addresses of pods, and asked the names that were asked for.
	forwarded, asked map[string]string
}

// startProxy returns the proxy and its address.
func startProxy(t *testing.T, n *harness.Namespace) (*proxy, string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{namespace: n, test: t, forwarded: map[string]string{}, asked: map[string]string{}}
	var serving sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = client.Close() }()
				if err := p.serve(t.Context(), client); err != nil {
					t.Logf("proxy: %v", err)
				}
			})
		}
	})
	return p, "socks5://" + listener.Addr().String()
}

// The words of the protocol that are used.
const (
	version     = 5
	connect     = 1
	named       = 3
	noLogin     = 0
	succeeded   = 0
	unreachable = 4
)

func (p *proxy) serve(ctx context.Context, client net.Conn) error {
	host, port, err := request(client)
	if err != nil {
		return err
	}
	server, err := p.dial(ctx, host, port)
	if err != nil {
		_, _ = client.Write([]byte{version, unreachable, 0, 1, 0, 0, 0, 0, 0, 0})
		return err
	}
	defer func() { _ = server.Close() }()
	if _, err := client.Write([]byte{version, succeeded, 0, 1, 0, 0, 0, 0, 0, 0}); err != nil {
		return err
	}
	// When one side is done, so is the other.
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	return nil
}

// request reads what a client asks for: a connection to a name.
func request(client net.Conn) (host string, port uint16, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(client, head); err != nil {
		return "", 0, err
	}
	if _, err := io.CopyN(io.Discard, client, int64(head[1])); err != nil {
		return "", 0, err
	}
	if _, err := client.Write([]byte{version, noLogin}); err != nil {
		return "", 0, err
	}
	wanted := make([]byte, 5)
	if _, err := io.ReadFull(client, wanted); err != nil {
		return "", 0, err
	}
	if wanted[0] != version || wanted[1] != connect || wanted[3] != named {
		return "", 0, fmt.Errorf("a request %v, and no connection to a name", wanted)
	}
	name := make([]byte, wanted[4])
	if _, err := io.ReadFull(client, name); err != nil {
		return "", 0, err
	}
	err = binary.Read(client, binary.BigEndian, &port)
	return string(name), port, err
}

// dial connects to a member by its name in the cluster: POD.SERVICE.NAMESPACE.svc. mongosh asks it for this machine,
// too.
func (p *proxy) dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	if host == "localhost" {
		return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	pod, rest, _ := strings.Cut(host, ".")
	if _, namespace, _ := strings.Cut(rest, "."); namespace != p.namespace.Name+".svc" {
		return nil, errors.New("no member has the name " + host)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[pod] = host
	if p.forwarded[pod] == "" {
		p.forwarded[pod] = p.namespace.Forward(p.test, pod, int(port))
	}
	return new(net.Dialer).DialContext(ctx, "tcp", p.forwarded[pod])
}

// names are those of the members that were asked for.
func (p *proxy) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Values(p.asked))
}
