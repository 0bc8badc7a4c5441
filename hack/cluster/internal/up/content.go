package up

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"text/template"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// LoadImages imports archives (docker-archive or OCI) into the containerd of every node, all at the same time. There is
// no registry to pull them from.
func LoadImages(ctx context.Context, c plan.Cluster, tools assets.Tools, archives []string) error {
	ctr, err := tools.Program("ctr")
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if _, err := os.Stat(archive); err != nil {
			return fmt.Errorf("loading image: %w", err)
		}
	}
	failures := make([]error, c.NodeCount)
	var group sync.WaitGroup
	for index, node := range c.Nodes() {
		group.Go(func() {
			// The namespace is the one that the kubelet's containers are in.
			arguments := []string{"--address", c.ContainerdSocket(node), "--namespace", "k8s.io", "images", "import"}
			for _, archive := range archives {
				output, err := exec.CommandContext(ctx, ctr, append(arguments, archive)...).CombinedOutput()
				if err != nil {
					failures[index] = fmt.Errorf("loading %s into %s: %w\n%s",
						filepath.Base(archive), node.Name(), err, bytes.TrimSpace(output))
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

//go:embed manifests
var manifests embed.FS

// renderAddons makes one YAML stream of what is put into a fresh cluster by way of its API: a few rules of access, the
// default StorageClass, and CoreDNS.
func renderAddons(coreDNSImage string) ([]byte, error) {
	parsed, err := template.New("").Option("missingkey=error").ParseFS(manifests, "manifests/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("parsing manifests: %w", err)
	}
	var rendered bytes.Buffer
	for _, name := range []string{"access.yaml", "storage.yaml", "coredns.yaml"} {
		rendered.WriteString("---\n")
		err := parsed.ExecuteTemplate(&rendered, name, map[string]string{
			"CoreDNSImage": coreDNSImage, "DNSAddress": plan.DNSAddress, "Domain": plan.Domain,
		})
		if err != nil {
			return nil, fmt.Errorf("rendering %s: %w", name, err)
		}
	}
	return rendered.Bytes(), nil
}
