package measure_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Files of a kernel that the tests make.
const (
	processors = "proc/cpuinfo"
	release    = "proc/sys/kernel/osrelease"
	swappiness = "proc/sys/vm/swappiness"
	hugePages  = "sys/kernel/mm/transparent_hugepage/enabled"
	governorOf = "sys/devices/system/cpu/cpu"
)

func TestAMachineIsWhatItsKernelTells(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  reportv1.Machine
	}{
		"two processors of x86": {
			map[string]string{
				processors: "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)   CPU @ 2.50GHz\n\n" +
					"processor\t: 1\nmodel name\t: another\n",
				release: "6.1.0-13-amd64\n",
			},
			reportv1.Machine{CPUModel: "Intel(R) Xeon(R) CPU @ 2.50GHz", Kernel: "6.1.0-13-amd64"},
		},
		"one of ARM has no name": {
			map[string]string{
				processors: "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n",
				release:    "6.8.0\n",
			},
			reportv1.Machine{CPUModel: "implementer 0x41, part 0xd0c", Kernel: "6.8.0"},
		},
		"an ARM kernel that tells no part": {
			map[string]string{processors: "CPU implementer\t: 0x41\n", release: "6.8.0"}, reportv1.Machine{Kernel: "6.8.0"},
		},
		"settings, and a governor for each processor": {
			map[string]string{
				"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
				swappiness: "0\n", hugePages: "always [madvise] never\n", "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
				governorOf + "0/cpufreq/scaling_governor":  "powersave\n",
				governorOf + "1/cpufreq/scaling_governor":  "performance\n",
				governorOf + "10/cpufreq/scaling_governor": "powersave\n",
			},
			reportv1.Machine{
				CPUGovernor: "performance, powersave", TransparentHugePages: "madvise", Swappiness: "0", ClockSource: "tsc",
				CgroupVersion: 2,
			},
		},
		"cgroups of the first version": {
			map[string]string{"sys/fs/cgroup/cpu/cpu.shares": "1024\n"}, reportv1.Machine{CgroupVersion: 1},
		},
		"huge pages of which none is chosen": {map[string]string{hugePages: "always [madvise\n"}, reportv1.Machine{}},
		"a kernel that tells nothing":        {nil, reportv1.Machine{}},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for file, text := range tc.files {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := measure.MachineOf(root); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// TestThisMachineTellsWhatItsKernelDoes compares with what is read here by other means, without a word of the value.
func TestThisMachineTellsWhatItsKernelDoes(t *testing.T) {
	t.Setenv(measure.NodeVariable, "some-node")
	machines := measure.Machines()
	if len(machines) != 1 || machines[0].Node != "some-node" {
		t.Fatalf("this process runs on %+v", machines)
	}
	this := machines[0]
	if _, err := os.Stat("/" + hugePages); err == nil && this.TransparentHugePages == "" {
		t.Errorf("the kernel tells of huge pages, and %+v does not", this)
	}
	read, err := os.ReadFile("/" + swappiness)
	if want := strings.TrimSpace(string(read)); err == nil && this.Swappiness != want {
		t.Errorf("the swappiness is %q, want %q", this.Swappiness, want)
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	switch {
	case strings.Contains(string(mounts), " /sys/fs/cgroup cgroup2 "):
		want = 2
	case strings.Contains(string(mounts), " /sys/fs/cgroup/cpu"):
		want = 1
	}
	if this.CgroupVersion != want {
		t.Errorf("the cgroups are of version %d, want %d", this.CgroupVersion, want)
	}
}
