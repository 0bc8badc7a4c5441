package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clearing is a machine on which clear-cluster.sh runs, with a make that writes down what it is called for.
type clearing struct {
	t      *testing.T
	folder string
}

func newClearing(t *testing.T) clearing {
	t.Helper()
	c := clearing{t, t.TempDir()}
	c.write("make", fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s\n", c.path("calls")))
	t.Setenv("PATH", c.folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("MONGOBENCH_STATE", c.path("state"))
	t.Setenv("MONGOBENCH_CACHE", c.path("cache"))
	return c
}

func (c clearing) path(name string) string { return filepath.Join(c.folder, name) }

func (c clearing) write(name, content string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(content), 0o700); err != nil {
		c.t.Fatal(err)
	}
}

// run answers with what the script said, what it had made, and whether it failed.
func (c clearing) run() (said, calls string, failed bool) {
	c.t.Helper()
	printed, err := exec.CommandContext(c.t.Context(), "../make/clear-cluster.sh").CombinedOutput()
	if _, failed = errors.AsType[*exec.ExitError](err); err != nil && !failed {
		c.t.Fatal(err)
	}
	made, _ := os.ReadFile(c.path("calls"))
	return string(printed), string(made), failed
}

func TestNothingIsCompiledToClearAMachineWithoutACluster(t *testing.T) {
	c := newClearing(t)
	if said, calls, failed := c.run(); said != "" || calls != "" || failed {
		t.Errorf("it says %q, calls make %q, fails %t", said, calls, failed)
	}
}

func TestAClusterThatACommandLeftIsTakenDown(t *testing.T) {
	for name, claim := range map[string]string{
		"and nobody claims":                "",
		"and a process claims that ended":  "4194305\n", // More than the kernel gives.
		"and another program has the name": "1\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := newClearing(t)
			c.write("state/cluster.json", "{}")
			if claim != "" {
				c.write("cache/cluster.pid", claim)
			}
			if said, calls, failed := c.run(); calls != "cluster-down\n" || failed {
				t.Errorf("it says %q, calls make %q, fails %t", said, calls, failed)
			}
			if _, err := os.Stat(c.path("cache/cluster.pid")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the claim is still there: %v", err)
			}
		})
	}
}

func TestAClusterThatIsInUseIsLeftAlone(t *testing.T) {
	c := newClearing(t)
	c.write("state/cluster.json", "{}")
	c.write("with-cluster.sh", "#!/bin/sh\necho ready\nread -r _\n")
	user := exec.CommandContext(t.Context(), c.path("with-cluster.sh"))
	until, err := user.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, err := user.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = until.Close()
		_ = user.Wait()
	}()
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	c.write("cache/cluster.pid", fmt.Sprintln(user.Process.Pid))
	said, calls, failed := c.run()
	if want := fmt.Sprintf("process %d uses the cluster", user.Process.Pid); !strings.Contains(said, want) || !failed {
		t.Errorf("it says %q and fails %t, want %q", said, failed, want)
	}
	if calls != "" {
		t.Errorf("it calls make %q", calls)
	}
	if held, _ := os.ReadFile(c.path("cache/cluster.pid")); strings.TrimSpace(string(held)) == "" {
		t.Error("the claim of the other is gone")
	}
}
