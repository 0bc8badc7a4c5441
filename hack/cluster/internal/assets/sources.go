package assets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// KubernetesVersion is what is built; kubernetes/go.mod pins the same.
const KubernetesVersion = "v1.36.3"

// Say tells people what comes next.
type Say func(format string, args ...any)

// Binaries is the folder of Kubernetes' components and etcd in the cache; it serves as KUBEBUILDER_ASSETS.
func Binaries(cache string) string {
	return filepath.Join(cache, "kubernetes", KubernetesVersion, "bin")
}

// program is one module beside this one and what becomes of it.
type program struct {
	// module is its folder, and the name of the binary.
	module string
	// linkerFlags are passed on.
	linkerFlags string
	// links are further names for the binary.
	links []string
}

// programs lists what has to be compiled, the long one last: the others say quickly whether Go works at all.
func programs() []program {
	return []program{
		{module: "etcd", linkerFlags: "-s -w"},
		{module: "provisioner", linkerFlags: "-s -w"},
		{module: "kubernetes", linkerFlags: kubernetesFlags(), links: []string{
			"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl",
		}},
	}
}

// kubernetesFlags make the binary know its version, which clients ask for and check.
func kubernetesFlags() string {
	numbers := strings.Split(strings.TrimPrefix(KubernetesVersion, "v"), ".")
	var flags strings.Builder
	flags.WriteString("-s -w")
	for _, variables := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, setting := range []string{
			"gitVersion=" + KubernetesVersion, "gitMajor=" + numbers[0], "gitMinor=" + numbers[1], "gitTreeState=clean",
		} {
			flags.WriteString(" -X " + variables + "." + setting)
		}
	}
	return flags.String()
}

// Build compiles what is not in the cache yet, or no longer matches its sources. It calls say before each thing that
// takes time, and waits for another that builds.
func Build(ctx context.Context, source, cache string, say Say) error {
	folder := Binaries(cache)
	release, err := Lock(ctx, filepath.Join(folder, ".lock"))
	if err != nil {
		return err
	}
	defer release()
	for _, p := range programs() {
		module := filepath.Join(source, p.module)
		key, err := moduleKey(module, p.linkerFlags)
		if err != nil {
			return err
		}
		keyFile := filepath.Join(folder, "."+p.module+".key")
		if current, err := os.ReadFile(keyFile); err == nil && string(current) == key && p.present(folder) {
			continue
		}
		say("compiling %s (minutes when it is the first time)", p.module)
		if err := p.compile(ctx, module, folder); err != nil {
			return err
		}
		if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
			return fmt.Errorf("noting what %s was built from: %w", p.module, err)
		}
	}
	return nil
}

// present tells whether the binary and all its links are there.
func (p program) present(folder string) bool {
	for _, name := range append([]string{p.module}, p.links...) {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// compile builds into a file of its own first: a binary that is running cannot be written to.
func (p program) compile(ctx context.Context, module, folder string) error {
	target := filepath.Join(folder, p.module)
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", target+".new", "-ldflags", p.linkerFlags, ".")
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s: %w\n%s", p.module, err, bytes.TrimSpace(output))
	}
	err := os.Rename(target+".new", target)
	for _, link := range p.links {
		path := filepath.Join(folder, link)
		err = errors.Join(err, os.RemoveAll(path), os.Symlink(p.module, path))
	}
	if err != nil {
		return fmt.Errorf("compiling %s: %w", p.module, err)
	}
	return nil
}

// moduleKey is a digest of everything in a module that a build depends on: its pins, its code and the flags.
func moduleKey(module, flags string) (string, error) {
	var files []string
	for _, pattern := range []string{"go.mod", "go.sum", "*.go"} {
		matches, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			return "", fmt.Errorf("listing sources of %s: %w", filepath.Base(module), err)
		}
		files = append(files, matches...)
	}
	if len(files) == 0 {
		return "", fmt.Errorf("finding sources of %s: nothing in %s", filepath.Base(module), module)
	}
	sort.Strings(files)
	digest := sha256.New()
	_, _ = fmt.Fprintln(digest, flags)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading sources of %s: %w", filepath.Base(module), err)
		}
		_, _ = fmt.Fprintf(digest, "%s %d\n", filepath.Base(file), len(content))
		digest.Write(content)
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// Source finds the folder of this module, upwards from the working directory: sources are compiled from there.
func Source() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the sources: %w", err)
	}
	for {
		for _, candidate := range []string{folder, filepath.Join(folder, "hack", "cluster")} {
			if _, err := os.Stat(filepath.Join(candidate, "kubernetes", "components.go")); err == nil {
				return candidate, nil
			}
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("finding the sources: hack/cluster is not above; run inside the repository")
		}
		folder = parent
	}
}

// Lock keeps two commands from working on the same thing at the same time: it waits for the lock that the file stands
// for, and release lets it go. The kernel releases the lock with the process that holds it, so a killed command blocks
// none. It is not for goroutines.
func Lock(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("taking the lock %s: another `cluster` command holds it: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
