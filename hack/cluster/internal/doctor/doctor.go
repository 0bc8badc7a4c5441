package doctor

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

// Finding is one thing that was looked at.
type Finding struct {
	// Subject is what was looked at, Detail what was found.
	Subject, Detail string
	// Remedy is what to do; empty when all is well.
	Remedy string
	// Optional findings do not keep a cluster from working: `up` gets them itself, or does without.
	Optional bool
}

// Examine looks at the machine.
func Examine(ctx context.Context, state, cache string) []Finding {
	return []Finding{
		system(), root(), goToolchain(ctx), cgroups(), overlay(), tools(cache), binaries(cache),
		space("state folder", state), space("cache", cache),
	}
}

// Report writes the findings, and tells whether a cluster can work.
func Report(output io.Writer, findings []Finding) bool {
	healthy := true
	for _, f := range findings {
		mark := "ok  "
		switch {
		case f.Remedy != "" && f.Optional:
			mark = "note"
		case f.Remedy != "":
			mark, healthy = "LACK", false
		}
		_, _ = fmt.Fprintf(output, "%s  %-13s %s\n", mark, f.Subject, f.Detail)
		if f.Remedy != "" {
			_, _ = fmt.Fprintf(output, "%20s-> %s\n", "", f.Remedy)
		}
	}
	return healthy
}

func system() Finding {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return Finding{Subject: "kernel", Detail: err.Error(), Remedy: "use a Linux machine"}
	}
	detail := fmt.Sprintf("Linux %s, %s, %d cores",
		unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())
	return Finding{Subject: "kernel", Detail: detail}
}

func root() Finding {
	f := Finding{Subject: "user", Detail: fmt.Sprintf("uid %d", os.Geteuid())}
	if os.Geteuid() != 0 {
		f.Remedy = "run as root, for instance with sudo -E: namespaces, cgroups and mounts need it"
	}
	return f
}

func goToolchain(ctx context.Context) Finding {
	output, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return Finding{Subject: "go", Detail: "not found", Remedy: "install Go 1.26 or later, and put it on the PATH"}
	}
	return Finding{Subject: "go", Detail: strings.TrimSpace(string(output))}
}

func cgroups() Finding {
	f := Finding{Subject: "cgroups"}
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		f.Detail = err.Error()
		f.Remedy = "mount cgroup2 on " + cgroup.Root
		return f
	}
	controllers := make([]string, 0, len(hierarchies))
	for _, hierarchy := range hierarchies {
		controllers = append(controllers, filepath.Base(hierarchy))
	}
	f.Detail = "version 1: " + strings.Join(controllers, " ")
	if cgroup.Unified() {
		content, _ := os.ReadFile(filepath.Join(cgroup.Root, "cgroup.controllers"))
		controllers = strings.Fields(string(content))
		f.Detail = "version 2: " + strings.Join(controllers, " ")
	}
	for _, needed := range []string{"cpu", "cpuset", "memory", "pids"} {
		if !slices.Contains(controllers, needed) {
			f.Remedy = "switch the controller " + needed + " on: the kubelet needs it"
		}
	}
	return f
}

func overlay() Finding {
	f := Finding{Subject: "overlayfs", Detail: "known to the kernel"}
	content, err := os.ReadFile("/proc/filesystems")
	if err != nil || !strings.Contains(string(content), "\toverlay\n") {
		f.Detail = "not in /proc/filesystems"
		f.Remedy = "modprobe overlay"
	}
	return f
}

func tools(cache string) Finding {
	missing := assets.FindTools(cache).Missing()
	if len(missing) == 0 {
		return Finding{Subject: "node tools", Detail: "containerd, runc, nft, CNI plugins are there"}
	}
	f := Finding{Subject: "node tools", Detail: "missing: " + strings.Join(missing, ", ")}
	if _, err := exec.LookPath("apt-get"); err != nil {
		f.Remedy = "install them: this machine has no apt-get to fetch them with"
		return f
	}
	f.Optional, f.Remedy = true, "`cluster up` fetches them into the cache"
	return f
}

func binaries(cache string) Finding {
	f := Finding{Subject: "kubernetes", Detail: assets.KubernetesVersion + " in " + assets.Binaries(cache)}
	for _, name := range []string{"kube-apiserver", "kubelet", "etcd", "provisioner"} {
		if _, err := os.Stat(filepath.Join(assets.Binaries(cache), name)); err != nil {
			f.Detail = assets.KubernetesVersion + " is not compiled yet"
			f.Optional, f.Remedy = true, "`cluster up` compiles it, 5 to 15 minutes on 2 cores"
		}
	}
	return f
}

// space looks at the file system that a folder is on, or will be on.
func space(subject, folder string) Finding {
	f := Finding{Subject: subject}
	existing := folder
	var info unix.Statfs_t
	for unix.Statfs(existing, &info) != nil && existing != "/" {
		existing = filepath.Dir(existing)
	}
	free := info.Bavail * uint64(info.Bsize)
	f.Detail = fmt.Sprintf("%s, %d GiB free", folder, free/gibibyte)
	if free < neededSpace {
		f.Remedy = fmt.Sprintf("free %d GiB, or move it with MONGOBENCH_STATE or MONGOBENCH_CACHE", neededSpace/gibibyte)
	}
	return f
}
