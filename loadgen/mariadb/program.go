package mariadb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/cgroup"
)

// Start makes this process the server, with its arguments, and leaves a process beside it that writes what the server
// uses into a file: this very program, called with the arguments that are given, a process number and the file. So the
// server is the process that the container was started with, and gets its signals. It returns only after an error.
func Start(ctx context.Context, server, writer []string, file string) error {
	program, err := exec.LookPath(server[0])
	if err != nil {
		return fmt.Errorf("looking for the server: %w", err)
	}
	if err := UsageFolder(file); err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program: %w", err)
	}
	arguments := slices.Concat(writer, []string{strconv.Itoa(os.Getpid()), file})
	// It is not to end with this context, which is that of a program that will be another one.
	beside := exec.CommandContext(context.WithoutCancel(ctx), own, arguments...) //nolint:gosec // It is this program.
	beside.Stderr = os.Stderr
	if err := beside.Start(); err != nil {
		return fmt.Errorf("starting what looks at the server: %w", err)
	}
	//nolint:gosec // Who starts a server says which.
	if err := syscall.Exec(program, server, os.Environ()); err != nil {
		_ = beside.Process.Kill()
		return fmt.Errorf("starting %s: %w", program, err)
	}
	return nil
}

// ProgramName is what the program is called where it was installed.
const ProgramName = "loadgen"

// programMode lets every user run the program, and none change it.
const programMode = 0o555

// Install copies the running program into a folder, from which a container of another image runs it.
func Install(folder string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	if err := copyProgram(program, filepath.Join(folder, ProgramName)); err != nil {
		return fmt.Errorf("installing the program: %w", err)
	}
	return nil
}

// copyProgram gives the copy its name last, so that what has the name is whole. It may be repeated.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	copied, err := os.CreateTemp(filepath.Dir(to), ".installing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(copied.Name()) }()
	_, err = io.Copy(copied, source)
	if err := errors.Join(err, copied.Chmod(programMode), copied.Close()); err != nil {
		return err
	}
	return os.Rename(copied.Name(), to)
}

const (
	// usageInterval is how old what the file says may be: little to someone who reads it every second.
	usageInterval = 100 * time.Millisecond
	// microsPerTick is the unit of CPU times in /proc: Linux tells all programs that it has 100 ticks a second.
	microsPerTick = 10_000
	// usageMode lets everybody read the file: a server reads no other by a statement.
	usageMode = 0o644
	// freshSuffix ends the name of the file that is to take the other's place.
	freshSuffix = ".new"
)

// WriteUsage writes what a process uses into a file, again and again until the process or the context ends, and then
// removes the file. A server does not know it of itself, but reads the file when it is asked to: each line is the name
// of a figure of package observe and its counter or level.
//
// What goes wrong is logged, once until it works again, and there is no file then: an old one would pass for a process
// that does nothing.
func WriteUsage(ctx context.Context, process int, file string, log *slog.Logger) {
	ticker := time.NewTicker(usageInterval)
	defer ticker.Stop()
	defer removeUsage(file)
	for failing := false; ; {
		text, err := usage(process)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			// It has ended.
			return
		}
		if err == nil {
			err = replaceFile(file, text)
		}
		if err != nil {
			removeUsage(file)
			if !failing {
				log.Error("what a process uses cannot be written", "process", process, "error", err)
			}
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// removeUsage removes the file, and what was to take its place.
func removeUsage(file string) {
	for _, name := range []string{file, file + freshSuffix} {
		_ = os.Remove(name)
	}
}

// Places of numbers in /proc/PID/stat after the name of the program, which ends with the last bracket (proc(5)).
const (
	statMajorFaults = 9
	statUserTicks   = 11
	statSystemTicks = 12
	statPages       = 21
)

// usage is what a process has used so far, and its memory.
func usage(process int) (string, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(process) + "/stat")
	if err != nil {
		return "", err
	}
	_, after, _ := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), ")")
	fields := strings.Fields(after)
	if len(fields) <= statPages {
		return "", fmt.Errorf("/proc/%d/stat has %d fields", process, len(fields))
	}
	number := func(place int) int64 {
		// The kernel writes nothing but numbers there.
		value, _ := strconv.ParseInt(fields[place], 10, 64)
		return value
	}
	text := fmt.Sprintf("cpu.user %d\ncpu.system %d\nmemory.resident %d\npageFaults %d\n",
		number(statUserTicks)*microsPerTick, number(statSystemTicks)*microsPerTick,
		number(statPages)*int64(os.Getpagesize()), number(statMajorFaults))
	if limit, known := cgroup.Of(os.DirFS("/"), strconv.Itoa(process)); known {
		text += fmt.Sprintf("%s %d\n%s %d\n", reportv1.SeriesPeriods, limit.Periods,
			reportv1.SeriesThrottledPeriods, limit.Throttled)
	}
	return text, nil
}

// replaceFile gives a file another content at once, so that half of it is never read.
func replaceFile(file, content string) error {
	fresh := file + freshSuffix
	if err := os.WriteFile(fresh, []byte(content), usageMode); err != nil {
		return err
	}
	return os.Rename(fresh, file)
}

// UsageFolder makes the folder of the file, which everybody may look into.
func UsageFolder(file string) error {
	folder := filepath.Dir(file)
	//nolint:gosec // As with the file.
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder of what the server uses: %w", err)
	}
	return nil
}
