package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/recipe"
	"github.com/mongobench/mongobench-operator/hack/images/internal/server"
)

const usage = `usage: images [-timeout 40m] COMMAND

  mongod [VERSION...]   fetch mongod servers into the cache (default %s; known %s)
  mariadb [VERSION...]  fetch MariaDB servers into the cache, of a series or one version (default %s)
  mysql [VERSION...]    fetch MySQL servers into the cache (default %s)
  build [NAME...]       build image tarballs into the cache (default all: %s;
                        mongod and mariadb are all their versions here)
  release FLAGS         write a release's images, or its chart, as OCI layouts: what make release calls
`

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func run() error {
	timeout := flag.Duration("timeout", 40*time.Minute, "end with an error after this time")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, usage, strings.Join(server.Mongod.Defaults, " "), strings.Join(server.KnownMongods(), " "),
			strings.Join(server.MariaDB.Defaults, " "), strings.Join(server.MySQL.Defaults, " "),
			strings.Join(recipe.Defaults(), " "))
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		return errors.New("no command given")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()

	root, err := cache.Locate()
	if err != nil {
		return err
	}
	command, names := flag.Arg(0), flag.Args()[1:]
	switch command {
	case "mongod":
		return fetch(ctx, root, server.Mongod, names)
	case "mariadb":
		return fetch(ctx, root, server.MariaDB, names)
	case "mysql":
		return fetch(ctx, root, server.MySQL, names)
	case "build":
		return build(ctx, root, names)
	case "release":
		return release(names)
	default:
		flag.Usage()
		return fmt.Errorf("unknown command %q", command)
	}
}

func fetch(ctx context.Context, root cache.Root, kind server.Kind, versions []string) error {
	if len(versions) == 0 {
		versions = kind.Defaults
	}
	for _, version := range versions {
		started := time.Now()
		fetched, err := kind.Fetch(ctx, root, version)
		if err != nil {
			return err
		}
		fmt.Printf("%s %-8s %5.1fs  %s (%d libraries in %s)\n", kind.Name, fetched.Version,
			time.Since(started).Seconds(), fetched.Folder, fetched.OwnLibraries, fetched.Libraries)
	}
	return nil
}

// build goes on after a failed image, so that one broken program does not hide the others.
func build(ctx context.Context, root cache.Root, names []string) error {
	workspace, err := recipe.OpenWorkspace(root)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range recipe.Named(names) {
		started := time.Now()
		result, err := workspace.Build(ctx, name)
		if err != nil {
			failed = append(failed, fmt.Errorf("image %s: %w", name, err))
			continue
		}
		state := "built"
		if result.Unchanged {
			state = "unchanged"
		}
		fmt.Printf("%-12s %6.1f MB  %s  %5.1fs  %-9s  %s\n", name, float64(result.Bytes)/1e6,
			result.ID, time.Since(started).Seconds(), state, result.File)
	}
	return errors.Join(failed...)
}
