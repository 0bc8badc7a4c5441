package up

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// registryHost is a host as references to images have it, perhaps with a port.
var registryHost = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*(:[0-9]+)?$`)

// Mirror has every node pull the images of a registry from another server, from now on. That server is asked alone: the
// registry itself cannot be reached.
func Mirror(c plan.Cluster, host, server string) error {
	if !registryHost.MatchString(host) {
		return fmt.Errorf("%q is no host of a registry: one is docker.io", host)
	}
	parsed, err := url.Parse(server)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return fmt.Errorf("%q is no URL of a server: one is http://%s:5000", server, plan.ControlPlaneAddress)
	}
	// https://github.com/containerd/containerd/blob/main/docs/hosts.md
	content := fmt.Appendf(nil, "server = %q\n\n[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", server, server)
	for _, node := range c.Nodes() {
		folder := filepath.Join(c.Registries(node), host)
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return fmt.Errorf("mirroring %s: %w", host, err)
		}
		if err := os.WriteFile(filepath.Join(folder, "hosts.toml"), content, 0o600); err != nil {
			return fmt.Errorf("mirroring %s: %w", host, err)
		}
	}
	return nil
}
