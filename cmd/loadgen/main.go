package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

func main() {
	os.Exit(execute(os.Args[1:]))
}

// execute runs a command line and returns the exit code: 0, 1 after an error, or 128 and the number of the signal that
// ended it.
func execute(arguments []string) int {
	ctx, stop := untilSignalled(context.Background())
	defer stop()
	command := rootCommand()
	command.SetArgs(arguments)
	err := command.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	message := "loadgen: " + measure.Redact(err.Error())
	fmt.Fprintln(os.Stderr, message)
	writeTerminationMessage(terminationMessagePath, message)
	return exitCode(err)
}
