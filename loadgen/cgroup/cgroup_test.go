package cgroup_test

import (
	"testing"
	"testing/fstest"

	"github.com/mongobench/mongobench-operator/loadgen/cgroup"
)

func TestALimitIsReadWhereverItLies(t *testing.T) {
	t.Parallel()
	const stat = "nr_periods 120\nnr_throttled 45\nthrottled_time 99\n"
	own := cgroup.Throttling{Periods: 120, Throttled: 45}
	for name, tc := range map[string]struct {
		files map[string]string
		want  cgroup.Throttling
	}{
		"version 2": {map[string]string{
			"proc/7/cgroup": "0::/kubepods/pod1/c\n", "sys/fs/cgroup/kubepods/pod1/c/cpu.stat": "usage_usec 3\n" + stat,
		}, own},
		"version 2, in a container": {map[string]string{
			"proc/7/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": stat,
		}, own},
		"version 1": {map[string]string{
			"proc/7/cgroup": "4:memory:/a\n1:cpu:/b/c\n0::/\n", "sys/fs/cgroup/cpu/b/c/cpu.stat": stat,
			"sys/fs/cgroup/cpu/cpu.stat": "nr_periods 1\nnr_throttled 1\n",
		}, own},
		"version 1, two controllers in one": {map[string]string{
			"proc/7/cgroup": "4:cpu,cpuacct:/b\n", "sys/fs/cgroup/cpu,cpuacct/b/cpu.stat": stat,
		}, own},
		"version 1, in a container that is shown the node's path": {map[string]string{
			"proc/7/cgroup": "4:cpu:/kubepods/b\n", "sys/fs/cgroup/cpu/cpu.stat": stat,
		}, own},
		"no limit": {map[string]string{
			"proc/7/cgroup": "1:cpu:/\n", "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 0\nnr_throttled 0\n",
		}, cgroup.Throttling{}},
		"a process that is gone": {map[string]string{"sys/fs/cgroup/cpu.stat": stat}, cgroup.Throttling{}},
		"what is no such file":   {map[string]string{"proc/7/cgroup": "nothing\n"}, cgroup.Throttling{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{}
			for file, text := range tc.files {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			got, known := cgroup.Of(root, "7")
			if got != tc.want || known != (tc.want.Periods > 0) {
				t.Errorf("got %+v, %t, want %+v", got, known, tc.want)
			}
		})
	}
}
