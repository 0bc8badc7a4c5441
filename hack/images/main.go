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
	"github.com/mongobench/mongobench-operator/hack/images/internal/mariadb"
	"github.com/mongobench/mongobench-operator/hack/images/internal/mongod"
	"github.com/mongobench/mongobench-operator/hack/images/internal/recipe"
)

const usage = `usage: images [-timeout 40m] COMMAND

  mongod [VERSION...]   fetch mongod servers into the cache (default %s; known %s)
  mariadb [VERSION...]  fetch MariaDB servers into the cache, of a series or one version (default %s)
  build [NAME...]       build image tarballs into the cache (default all: %s)
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
		fmt.Fprintf(os.Stderr, usage, strings.Join(mongod.Defaults(), " "),
			strings.Join(mongod.Known(), " "), strings.Join(mariadb.Defaults(), " "), strings.Join(recipe.Defaults(), " "))
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
		return fetch(ctx, root, names)
	case "mariadb":
		return fetchMariaDB(ctx, root, names)
	case "build":
		return build(ctx, root, names)
	default:
		flag.Usage()
		return fmt.Errorf("unknown command %q", command)
	}
}

func fetch(ctx context.Context, root cache.Root, versions []string) error {
	if len(versions) == 0 {
		versions = mongod.Defaults()
	}
	for _, version := range versions {
		started := time.Now()
		server, err := mongod.Fetch(ctx, root, version)
		if err != nil {
			return err
		}
		fmt.Printf("mongod %-7s %5.1fs  %s (%d libraries in %s)\n",
			version, time.Since(started).Seconds(), server.Binary, server.OwnLibraries, server.LibraryFolder)
	}
	return nil
}

func fetchMariaDB(ctx context.Context, root cache.Root, versions []string) error {
	if len(versions) == 0 {
		versions = mariadb.Defaults()
	}
	for _, version := range versions {
		started := time.Now()
		server, err := mariadb.Fetch(ctx, root, version)
		if err != nil {
			return err
		}
		fmt.Printf("mariadb %-8s %5.1fs  %s (%d libraries in %s)\n",
			server.Version, time.Since(started).Seconds(), server.Folder, server.OwnLibraries, server.Libraries)
	}
	return nil
}

// build goes on after a failed image, so that one broken program does not hide the others.
func build(ctx context.Context, root cache.Root, names []string) error {
	if len(names) == 0 {
		names = recipe.Defaults()
	}
	workspace, err := recipe.OpenWorkspace(root)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
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
