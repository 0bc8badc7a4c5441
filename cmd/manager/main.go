package main

import (
	"fmt"
	"os"
	"runtime/debug"

	ctrl "sigs.k8s.io/controller-runtime"
)

// garbagePercent of what is in use may be garbage before it is collected, unless GOGC says otherwise. A manager waits
// for most of its time: memory is what it costs a cluster, not the CPU of its collector.
const garbagePercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	os.Exit(execute(os.Args[1:]))
}

// execute runs a command line until a signal ends it, and returns the exit code.
func execute(arguments []string) int {
	flags, err := parse(arguments, os.Stderr)
	if err != nil {
		return 2
	}
	if flags.version {
		fmt.Println(version())
		return 0
	}
	ctrl.SetLogger(logger(flags.logLevel, os.Stderr))
	if err := start(flags); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		return 1
	}
	return 0
}

func start(flags options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	return runManager(ctrl.SetupSignalHandler(), config, flags)
}
