package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
)

const usage = `usage: cluster COMMAND

  up [--nodes N]        make a cluster of N nodes (1 to 3), or find it healthy
  down                  end it and leave the machine as it was; also after a crash
  status                say whether it is healthy
  kubeconfig            print the path of its kubeconfig
  kubectl ARGS...       run its kubectl
  exec -- CMD ARGS...   run a program inside its network, with its DNS
  load-image TAR...     import image archives into every node
  build [--all]         compile Kubernetes and etcd into the cache (--all: and fetch the rest of what up needs)
  doctor                say what this machine lacks

Environment: MONGOBENCH_STATE (default /var/lib/mongobench), MONGOBENCH_CACHE (default ~/.cache/mongobench).
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dispatch(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // The deferred call was just made.
	}
}

// dispatch runs the command that is named first.
func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("a command is needed")
	}
	switch name, rest := args[0], args[1:]; name {
	// These two are for the cluster itself: the first process of a machine, and the host's way in.
	case "machine":
		return machine.Main(rest)
	case "forward":
		return component.Forward(ctx, rest)
	case "help", "-h", "--help":
		fmt.Print(usage)
		return nil
	default:
		command, known := commands[name]
		if !known {
			fmt.Fprint(os.Stderr, usage)
			return fmt.Errorf("%q is not a command", name)
		}
		settings, err := readSettings()
		if err != nil {
			return err
		}
		return command(ctx, settings, rest)
	}
}
