package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
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
