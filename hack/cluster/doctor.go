package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/cgroup"
)

const (
	// neededSpace is for the Go build cache, the binaries, the images and a small cluster together.
	neededSpace = 10 << 30
	gibibyte    = 1 << 30
)

// finding is one thing that was looked at.
type finding struct {
	subject string
	state
}

// state is what was found.
type state struct {
	detail string
	// remedy is what to do; empty when all is well.
	remedy string
	// optional states do not keep a cluster from working: `up` mends them itself, or does without.
	optional bool
}

// examine says what this machine has and lacks for a local cluster, and what to do about it. It changes nothing.
func examine(ctx context.Context, folder, cache string) []finding {
	return []finding{
		{"kernel", system()},
		{"user", root()},
		{"go", goToolchain(ctx)},
		{"cgroups", cgroups()},
		{"overlayfs", overlay()},
		{"node tools", tools(cache)},
		{"kubernetes", binaries(cache)},
		{"state folder", space(folder)},
		{"cache", space(cache)},
	}
}

// report writes the findings, and tells whether a cluster can work.
func report(output io.Writer, findings []finding) bool {
	healthy := true
	for _, f := range findings {
		mark := "ok  "
		switch {
		case f.remedy != "" && f.optional:
			mark = "note"
		case f.remedy != "":
			mark, healthy = "LACK", false
		}
		_, _ = fmt.Fprintf(output, "%s  %-13s %s\n", mark, f.subject, f.detail)
		if f.remedy != "" {
			_, _ = fmt.Fprintf(output, "%20s-> %s\n", "", f.remedy)
		}
	}
	return healthy
}

func system() state {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return state{detail: err.Error(), remedy: "use a Linux machine"}
	}
	return state{detail: fmt.Sprintf("Linux %s, %s, %d cores",
		unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())}
}

func root() state {
	s := state{detail: fmt.Sprintf("uid %d", os.Geteuid())}
	if os.Geteuid() != 0 {
		s.remedy = "run as root, for instance with sudo -E: namespaces, cgroups and mounts need it"
	}
	return s
}

func goToolchain(ctx context.Context) state {
	output, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return state{detail: "not found", remedy: "install Go 1.26 or later, and put it on the PATH"}
	}
	return state{detail: strings.TrimSpace(string(output))}
}

func cgroups() state {
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		return state{detail: err.Error(), remedy: "mount cgroup2 on " + cgroup.Root}
	}
	version, controllers := "version 1: ", make([]string, 0, len(hierarchies))
	for _, hierarchy := range hierarchies {
		controllers = append(controllers, filepath.Base(hierarchy))
	}
	if cgroup.Unified() {
		content, _ := os.ReadFile(filepath.Join(cgroup.Root, "cgroup.controllers"))
		version, controllers = "version 2: ", strings.Fields(string(content))
	}
	s := state{detail: version + strings.Join(controllers, " ")}
	for _, needed := range []string{"cpu", "cpuset", "memory", "pids"} {
		if !slices.Contains(controllers, needed) {
			s.remedy = "switch the controller " + needed + " on: the kubelet needs it"
		}
	}
	return s
}

func overlay() state {
	content, err := os.ReadFile("/proc/filesystems")
	if err != nil || !strings.Contains(string(content), "\toverlay\n") {
		return state{detail: "not in /proc/filesystems", remedy: "modprobe overlay"}
	}
	return state{detail: "known to the kernel"}
}

func tools(cache string) state {
	missing := assets.FindTools(cache).Missing()
	if len(missing) == 0 {
		return state{detail: "containerd, runc, nft, CNI plugins are there"}
	}
	s := state{detail: "missing: " + strings.Join(missing, ", ")}
	if _, err := exec.LookPath("apt-get"); err != nil {
		s.remedy = "install them: this machine has no apt-get to fetch them with"
		return s
	}
	s.optional, s.remedy = true, "`cluster up` fetches them into the cache"
	return s
}

func binaries(cache string) state {
	for _, name := range []string{"kube-apiserver", "kubelet", "etcd", "provisioner"} {
		if _, err := os.Stat(filepath.Join(assets.Binaries(cache), name)); err != nil {
			return state{
				detail:   assets.KubernetesVersion + " is not compiled yet",
				optional: true, remedy: "`cluster up` compiles it, 5 to 15 minutes on 2 cores",
			}
		}
	}
	return state{detail: assets.KubernetesVersion + " in " + assets.Binaries(cache)}
}

// space looks at the file system that a folder is on, or will be on.
func space(folder string) state {
	existing := folder
	var info unix.Statfs_t
	for unix.Statfs(existing, &info) != nil && existing != "/" {
		existing = filepath.Dir(existing)
	}
	free := info.Bavail * uint64(info.Bsize)
	s := state{detail: fmt.Sprintf("%s, %d GiB free", folder, free/gibibyte)}
	if free < neededSpace {
		s.remedy = fmt.Sprintf("free %d GiB, or move it with MONGOBENCH_STATE or MONGOBENCH_CACHE", neededSpace/gibibyte)
	}
	return s
}
