package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/build/version"
	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

func run() error {
	listen := flag.String("listen", "127.0.0.1:27017", "address to listen on")
	data := flag.String("data", "", "folder of the databases (required)")
	flag.Parse()
	if *data == "" || flag.NArg() > 0 {
		flag.Usage()
		return errors.New("--data is required, and there are no arguments besides flags")
	}
	if err := os.MkdirAll(*data, 0o750); err != nil {
		return fmt.Errorf("making the folder of the databases: %w", err)
	}
	nameVersion()
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: *listen},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + *data + "/",
	})
	if err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return server.Run(ctx)
}

// nameVersion has buildInfo tell the version of FerretDB that this program is built with: an embedded one tells none.
func nameVersion() {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "github.com/FerretDB/FerretDB" {
			version.Get().Version = module.Version
		}
	}
}
