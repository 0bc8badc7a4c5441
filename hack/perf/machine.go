package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// writeMachine says where and when the figures came to be, without which they mean nothing.
func writeMachine(to io.Writer, now time.Time) {
	content, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	load, _ := os.ReadFile("/proc/loadavg")
	before, _, _ := strings.Cut(string(load), " ")
	_, _ = fmt.Fprintf(to, "%s: %d processors (%s), Linux %s, %s; mongod %s on loopback, cache %s GiB; load before: %s\n",
		now.UTC().Format("2006-01-02 15:04 UTC"), runtime.NumCPU(), processorModel(string(content)),
		strings.TrimSpace(string(kernel)), runtime.Version(), serverVersion, serverCacheGB, before)
}

// processorModel is the name of the first processor.
func processorModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
