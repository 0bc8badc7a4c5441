package measure

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// NodeVariable is the environment variable with the name of the node that a load pod runs on.
const NodeVariable = "MONGOBENCH_NODE_NAME"

// Files of the kernel, below the root. A pod without any right may read all of them, and none is a setting of the pod's
// own: they are the same in every container of a machine.
const (
	// processorsFile has a paragraph for each processor, of lines with a name, a colon and a value.
	processorsFile = "proc/cpuinfo"
	// releaseFile has the release of the kernel.
	releaseFile = "proc/sys/kernel/osrelease"
	// swappinessFile has a number.
	swappinessFile = "proc/sys/vm/swappiness"
	// hugePagesFile has all choices, with the one in force in brackets.
	hugePagesFile = "sys/kernel/mm/transparent_hugepage/enabled"
	// governorFiles have a word for each processor. Where the hypervisor has the clock there are none.
	governorFiles = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"
	// cgroupFolder is where cgroups are mounted, and unifiedFile is in it when they are of version 2.
	cgroupFolder = "sys/fs/cgroup"
	unifiedFile  = "sys/fs/cgroup/cgroup.controllers"
)

// Machines is the one that this process runs on; none where the kernel tells nothing of it.
func Machines() []reportv1.Machine {
	machine := machineOf(os.DirFS("/"))
	machine.Node = os.Getenv(NodeVariable)
	if machine == (reportv1.Machine{}) {
		return nil
	}
	return []reportv1.Machine{machine}
}

// machineOf is the machine whose files these are. Those that cannot be read say nothing.
func machineOf(root fs.FS) reportv1.Machine {
	read := func(name string) string {
		content, _ := fs.ReadFile(root, name)
		return strings.TrimSpace(string(content))
	}
	return reportv1.Machine{
		CPUModel: cpuModel(read(processorsFile)), Kernel: read(releaseFile),
		CPUGovernor: governors(root, read), TransparentHugePages: chosen(read(hugePagesFile)),
		Swappiness: read(swappinessFile), CgroupVersion: cgroupVersion(root),
	}
}

// governors are those of all processors, each once.
func governors(root fs.FS, read func(string) string) string {
	// It fails for a pattern that is none, only.
	files, _ := fs.Glob(root, governorFiles)
	found := make([]string, 0, len(files))
	for _, file := range files {
		if governor := read(file); governor != "" {
			found = append(found, governor)
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", ")
}

// chosen is the word in brackets.
func chosen(choices string) string {
	_, rest, _ := strings.Cut(choices, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !closed {
		return ""
	}
	return word
}

func cgroupVersion(root fs.FS) int {
	if _, err := fs.Stat(root, unifiedFile); err == nil {
		return 2
	}
	// Version 1 has a folder for each controller.
	if _, err := fs.Stat(root, path.Join(cgroupFolder, "cpu")); err == nil {
		return 1
	}
	return 0
}

// cpuModel is the name of the first processor or, where it has none, as those of ARM, the numbers of who made it and
// of what it is.
func cpuModel(processors string) string {
	first := map[string]string{}
	for line := range strings.Lines(processors) {
		name, value, _ := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if _, known := first[name]; !known {
			first[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	if model := first["model name"]; model != "" {
		return model
	}
	if implementer, part := first["CPU implementer"], first["CPU part"]; implementer != "" && part != "" {
		return "implementer " + implementer + ", part " + part
	}
	return ""
}
