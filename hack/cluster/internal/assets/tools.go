package assets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages hold the tools of a node, under their names in Debian and its descendants.
var packages = []string{"containerd", "containernetworking-plugins", "nftables", "runc"}

// programsOfANode must be found, in the cache or on the machine, before a node can start.
var programsOfANode = []string{"containerd", "ctr", "containerd-shim-runc-v2", "runc", "nft"}

// systemPath is where the machine's own programs are looked for, whatever the caller's PATH is.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Tools are the programs of a node that Kubernetes does not bring.
type Tools struct {
	// Path is a PATH on which all of them are.
	Path string
	// CNIPlugins is the folder of the network plugins.
	CNIPlugins string
}

// Program is the path of one of the programs.
func (t Tools) Program(name string) (string, error) {
	for _, folder := range filepath.SplitList(t.Path) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("finding %s: neither in the cache nor on the machine; run `cluster build --all`", name)
}

// Missing lists which of a node's tools are not there.
func (t Tools) Missing() []string {
	var missing []string
	for _, name := range programsOfANode {
		if _, err := t.Program(name); err != nil {
			missing = append(missing, name)
		}
	}
	if t.CNIPlugins == "" {
		missing = append(missing, "CNI plugins")
	}
	return missing
}

// FindTools looks for the tools, first in the cache and then on the machine.
func FindTools(cache string) Tools {
	root := toolsFolder(cache)
	tools := Tools{Path: filepath.Join(root, "bin") + ":" + Binaries(cache) + ":" + systemPath}
	for _, folder := range []string{
		filepath.Join(root, "root/usr/lib/cni"), "/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni",
	} {
		if _, err := os.Stat(filepath.Join(folder, "ptp")); err == nil {
			tools.CNIPlugins = folder
			break
		}
	}
	return tools
}

// FetchTools makes sure that all tools are there: what is missing is downloaded as packages and unpacked.
func FetchTools(ctx context.Context, cache string, say func(format string, args ...any)) (Tools, error) {
	tools := FindTools(cache)
	missing := tools.Missing()
	if len(missing) == 0 {
		return tools, nil
	}
	say("fetching %s from the distribution's packages", strings.Join(missing, ", "))
	if _, err := exec.LookPath("apt-get"); err != nil {
		return Tools{}, fmt.Errorf("fetching %s: this machine has no apt-get; install them by hand, then try again",
			strings.Join(missing, ", "))
	}
	if err := unpackPackages(ctx, toolsFolder(cache)); err != nil {
		return Tools{}, err
	}
	tools = FindTools(cache)
	if missing := tools.Missing(); len(missing) > 0 {
		return Tools{}, fmt.Errorf("fetching tools: %s not in the packages %s; install them by hand, then try again",
			strings.Join(missing, ", "), strings.Join(packages, ", "))
	}
	return tools, nil
}

// toolsFolder is named by what is in it, so that another list of packages is fetched anew.
func toolsFolder(cache string) string {
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	return filepath.Join(cache, "node", hex.EncodeToString(sum[:4]))
}
