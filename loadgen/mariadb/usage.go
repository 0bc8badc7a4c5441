package mariadb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

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
	return fmt.Sprintf("cpu.user %d\ncpu.system %d\nmemory.resident %d\npageFaults %d\n",
		number(statUserTicks)*microsPerTick, number(statSystemTicks)*microsPerTick,
		number(statPages)*int64(os.Getpagesize()), number(statMajorFaults)), nil
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
