package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, term.IsTerminal(int(os.Stdout.Fd())))
	stop()
	if err != nil && !errors.Is(err, errTold) {
		fmt.Fprintln(os.Stderr, "demo:", err)
	}
	os.Exit(exitCode(err))
}
