package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// tellSkips lists the skipped tests and returns how many of them this machine could have run.
func tellSkips(out io.Writer, skips []skip, has func(capability string) bool) int {
	if len(skips) == 0 {
		return 0
	}
	unexcused := 0
	var list strings.Builder
	fmt.Fprintf(&list, "skipped tests: %d\n", len(skips))
	for _, s := range skips {
		note := ""
		if !excused(s.reason, has) {
			unexcused++
			note = " (this machine can run it)"
		}
		fmt.Fprintf(&list, "  %s %s: %s%s\n", s.pkg, s.test, s.reason, note)
	}
	_, _ = io.WriteString(out, list.String())
	return unexcused
}

// excused tells whether a reason names a capability, and the machine lacks it.
func excused(reason string, has func(capability string) bool) bool {
	for _, capability := range []string{"root", "docker", "mongos"} {
		if strings.Contains(reason, "needs "+capability) && !has(capability) {
			return true
		}
	}
	return false
}

// probe asks the machine.
func probe(capability string) bool {
	switch capability {
	case "root":
		return os.Geteuid() == 0
	case "docker":
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		return exec.CommandContext(ctx, "docker", "info").Run() == nil
	default:
		_, err := exec.LookPath(capability)
		return err == nil
	}
}
