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
	// subject is what was looked at, detail what was found.
	subject, detail string
	// remedy is what to do; empty when all is well.
	remedy string
	// optional findings do not keep a cluster from working: `up` gets them itself, or does without.
	optional bool
}

// examine says what this machine has and lacks for a local cluster, and what to do about it. It changes nothing.
func examine(ctx context.Context, state, cache string) []finding {
	return []finding{
		system(), root(), goToolchain(ctx), cgroups(), overlay(), tools(cache), binaries(cache),
		space("state folder", state), space("cache", cache),
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

func system() finding {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return finding{subject: "kernel", detail: err.Error(), remedy: "use a Linux machine"}
	}
	detail := fmt.Sprintf("Linux %s, %s, %d cores",
		unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())
	return finding{subject: "kernel", detail: detail}
}

func root() finding {
	f := finding{subject: "user", detail: fmt.Sprintf("uid %d", os.Geteuid())}
	if os.Geteuid() != 0 {
		f.remedy = "run as root, for instance with sudo -E: namespaces, cgroups and mounts need it"
	}
	return f
}

func goToolchain(ctx context.Context) finding {
	output, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return finding{subject: "go", detail: "not found", remedy: "install Go 1.26 or later, and put it on the PATH"}
	}
	return finding{subject: "go", detail: strings.TrimSpace(string(output))}
}

func cgroups() finding {
	f := finding{subject: "cgroups"}
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		f.detail = err.Error()
		f.remedy = "mount cgroup2 on " + cgroup.Root
		return f
	}
	controllers := make([]string, 0, len(hierarchies))
	for _, hierarchy := range hierarchies {
		controllers = append(controllers, filepath.Base(hierarchy))
	}
	f.detail = "version 1: " + strings.Join(controllers, " ")
	if cgroup.Unified() {
		content, _ := os.ReadFile(filepath.Join(cgroup.Root, "cgroup.controllers"))
		controllers = strings.Fields(string(content))
		f.detail = "version 2: " + strings.Join(controllers, " ")
	}
	for _, needed := range []string{"cpu", "cpuset", "memory", "pids"} {
		if !slices.Contains(controllers, needed) {
			f.remedy = "switch the controller " + needed + " on: the kubelet needs it"
		}
	}
	return f
}

func overlay() finding {
	f := finding{subject: "overlayfs", detail: "known to the kernel"}
	content, err := os.ReadFile("/proc/filesystems")
	if err != nil || !strings.Contains(string(content), "\toverlay\n") {
		f.detail = "not in /proc/filesystems"
		f.remedy = "modprobe overlay"
	}
	return f
}

func tools(cache string) finding {
	missing := assets.FindTools(cache).Missing()
	if len(missing) == 0 {
		return finding{subject: "node tools", detail: "containerd, runc, nft, CNI plugins are there"}
	}
	f := finding{subject: "node tools", detail: "missing: " + strings.Join(missing, ", ")}
	if _, err := exec.LookPath("apt-get"); err != nil {
		f.remedy = "install them: this machine has no apt-get to fetch them with"
		return f
	}
	f.optional, f.remedy = true, "`cluster up` fetches them into the cache"
	return f
}

func binaries(cache string) finding {
	f := finding{subject: "kubernetes", detail: assets.KubernetesVersion + " in " + assets.Binaries(cache)}
	for _, name := range []string{"kube-apiserver", "kubelet", "etcd", "provisioner"} {
		if _, err := os.Stat(filepath.Join(assets.Binaries(cache), name)); err != nil {
			f.detail = assets.KubernetesVersion + " is not compiled yet"
			f.optional, f.remedy = true, "`cluster up` compiles it, 5 to 15 minutes on 2 cores"
		}
	}
	return f
}

// space looks at the file system that a folder is on, or will be on.
func space(subject, folder string) finding {
	f := finding{subject: subject}
	existing := folder
	var info unix.Statfs_t
	for unix.Statfs(existing, &info) != nil && existing != "/" {
		existing = filepath.Dir(existing)
	}
	free := info.Bavail * uint64(info.Bsize)
	f.detail = fmt.Sprintf("%s, %d GiB free", folder, free/gibibyte)
	if free < neededSpace {
		f.remedy = fmt.Sprintf("free %d GiB, or move it with MONGOBENCH_STATE or MONGOBENCH_CACHE", neededSpace/gibibyte)
	}
	return f
}
