package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// Load imports the archives (docker-archive or OCI) into all nodes, the nodes at the same time.
func Load(ctx context.Context, c plan.Cluster, tools assets.Tools, archives []string) error {
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
			for _, archive := range archives {
				if err := load(ctx, ctr, c.ContainerdSocket(node), archive); err != nil {
					failures[index] = fmt.Errorf("loading %s into %s: %w", filepath.Base(archive), node.Name(), err)
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

// load imports into the namespace that the kubelet's containers are in.
func load(ctx context.Context, ctr, socket, archive string) error {
	command := exec.CommandContext(ctx, ctr, "--address", socket, "--namespace", "k8s.io", "images", "import", archive)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(output))
	}
	return nil
}
