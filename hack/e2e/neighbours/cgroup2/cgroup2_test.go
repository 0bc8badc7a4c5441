//go:build e2e

package cgroup2

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	// release has a kernel in user mode that runs on every processor: those before 6.13 end where there is AVX-512.
	release = "testing"
	// runTime is how long the machine may take for all that it does. On two idle cores it is half a minute.
	runTime = 15 * time.Minute
	mongod  = "6.0.5"
	// serverMebibytes is the limit of the server's memory in machine/init.sh, and loadBytes that of the load's.
	serverMebibytes = 512
	loadBytes       = 192 << 20
)

// TestLimitsOfCgroup2 measures a server with half a core and 512 MiB, by a load generator with a third of a core.
func TestLimitsOfCgroup2(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: the kernel is started in a mount namespace of its own")
	}
	work := prepare(t)
	boot(t, work)
	report := read(t, work)
	if len(report.Machines) != 1 || report.Machines[0].CgroupVersion != 2 {
		t.Errorf("the report does not say that the machine has cgroup version 2: %+v", report.Machines)
	}
	if got := report.Server.MemoryLimitMebibytes; got != serverMebibytes {
		t.Errorf("the server knows a memory limit of %d MiB, want %d", got, serverMebibytes)
	}
	checkLoad(t, report)
	checkServer(t, report)
	for _, group := range []string{"server", "load"} {
		if number(t, work, group+".cpu.stat", "nr_throttled") == 0 {
			t.Errorf("the kernel has never stopped %s", group)
		}
	}
	if peak := number(t, work, "load.memory.peak", ""); peak > loadBytes {
		t.Errorf("the load generator took %d bytes, and had %d", peak, loadBytes)
	}
	if number(t, work, "greedy.memory.events", "oom_kill") != 1 {
		t.Error("what takes more memory than its limit was not killed")
	}
}

// checkLoad looks for what the load generator says of its own limit.
func checkLoad(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	step := report.Steps[len(report.Steps)-1]
	if step.Generator.ThrottledMicros == 0 {
		t.Error("the load generator does not know that its CPU limit stopped it")
	}
	t.Logf("load generator: stopped for %d ms of %s, %d operations", step.Generator.ThrottledMicros/1000, step.Duration(),
		step.Operations[0].Count)
}

// checkServer looks for what the report says of the server's limit.
func checkServer(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	var stopped int64
	for _, server := range report.Members {
		for _, series := range server.Series {
			if series.Name == reportv1alpha1.SeriesThrottledPeriods {
				for _, value := range series.Values {
					stopped += max(0, value)
				}
			}
		}
	}
	if stopped == 0 {
		t.Errorf("the report does not know that the server's CPU limit stopped it: %+v", report.Members)
	}
}

// prepare makes the folder that the machine works in.
func prepare(t *testing.T) string {
	t.Helper()
	root, work := part.Root(t), t.TempDir()
	run := func(folder string, arguments ...string) {
		command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
		command.Dir = folder
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, said)
		}
	}
	run(root, "go", "build", "-o", filepath.Join(work, "loadgen"), "./cmd/loadgen")
	run(filepath.Join(root, "hack", "images"), "go", "run", ".", "mongod", mongod)
	server := filepath.Join(part.Cache(t), "mongod", mongod)
	starter := fmt.Sprintf("#!/bin/sh\nLD_LIBRARY_PATH=%[1]s/lib exec %[1]s/mongod \"$@\"\n", server)
	err := errors.Join(
		os.WriteFile(filepath.Join(work, "mongod"), []byte(starter), 0o700), os.Mkdir(filepath.Join(work, "out"), 0o700))
	for _, name := range []string{"init.sh", "run.yaml"} {
		content, failed := os.ReadFile(filepath.Join("machine", name))
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(work, name), content, 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	return work
}

// boot starts the kernel and waits until it has gone through what it is to do.
func boot(t *testing.T, work string) {
	t.Helper()
	system := filepath.Join(part.PackagesOf(t, release, "user-mode-linux", "libc6", "libgcc-s1"), "root")
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	began := time.Now()
	machine := exec.CommandContext(ctx, "unshare", "--mount", "bash", "machine/boot.sh", system, work)
	said, err := machine.CombinedOutput()
	if _, there := os.Stat(filepath.Join(work, "out", "filesystems")); there != nil {
		t.Fatalf("the machine ended before its time: %v\n%s\n%s", err, tail(said), logs(work))
	}
	t.Logf("the machine ran for %.1f s", time.Since(began).Seconds())
}

func logs(work string) string {
	var all bytes.Buffer
	for _, name := range []string{"server.log", "load.log"} {
		content, err := os.ReadFile(filepath.Join(work, "out", name))
		fmt.Fprintf(&all, "%s (%v):\n%s\n", name, err, tail(content))
	}
	return all.String()
}

func tail(text []byte) []byte { return text[max(0, len(text)-(4<<10)):] }

// read reads what the load generator has stored.
func read(t *testing.T, work string) reportv1alpha1.Report {
	t.Helper()
	stored, err := os.ReadFile(filepath.Join(work, "out", "results", "report.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, logs(work))
	}
	var written struct {
		Report reportv1alpha1.Report `json:"report"`
	}
	if err := json.Unmarshal(stored, &written); err != nil {
		t.Fatal(err)
	}
	return written.Report
}

// number reads one of a control group's numbers: the only one of its file, or the one that follows a name.
func number(t *testing.T, work, file, name string) int64 {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(work, "out", file))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(content))
	for i, word := range words {
		if name != "" && word != name {
			continue
		}
		if name != "" {
			word = words[i+1]
		}
		value, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	t.Fatalf("%s has no %s: %s", file, name, content)
	return 0
}
