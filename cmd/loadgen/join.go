package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/link"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// joinFlags is the command line of loadgen join.
type joinFlags struct {
	runFlags
	tokenFile string
}

func joinCommand() *cobra.Command {
	flags := &joinFlags{}
	command := &cobra.Command{
		Use: "join HOST:PORT", Short: "Send a part of the load of loadgen serve from this machine", Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return flags.join(command.Context(), arguments[0])
		},
	}
	command.Long = "Send a part of the load of loadgen serve from this machine. The plan comes from there, and what is\n" +
		"measured goes there; the database's address and how to log in are given here."
	command.Example = "  loadgen join load-1.example:7433 --token-file join.token --uri mongodb://db.example"
	flags.connection.register(command)
	set := command.Flags()
	set.StringVar(&flags.tokenFile, "token-file", "", "copy of the file that loadgen serve wrote; - reads standard input")
	flags.registerObserving(set)
	flags.scraped.register(command)
	flags.outlets.register(command)
	flags.through.register(command)
	require(command, "token-file")
	return command
}

func (f *joinFlags) join(ctx context.Context, address string) error {
	if err := f.checkObserving(); err != nil {
		return err
	}
	content, err := readAll(f.tokenFile)
	if err != nil {
		return fmt.Errorf("reading the token: %w", err)
	}
	token, err := link.ParseToken(string(content))
	if err != nil {
		return fmt.Errorf("--token-file %s: %w", f.tokenFile, err)
	}
	name, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("asking for the name of this machine: %w", err)
	}
	pod, err := link.Join(ctx, address, token, version.Number(), name)
	if err != nil {
		return err
	}
	ctx, leave := pod.Attend(ctx)
	defer leave()
	progress := output.NewProgress(screen.New(os.Stderr), pod.Plan)
	defer progress.Abandon()
	pod.Told = progress
	f.runUID, f.runName, f.shareDatabase = pod.RunUID, pod.RunName, pod.SharesDatabase
	_, err = f.drive(ctx, &engine.Engine{
		Plan: pod.Plan, PlanHash: pod.PlanHash, Pod: pod.Index, Version: version.Number(),
		Gate: pod, Reporter: pod, Trials: pod, Finish: pod.Over,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		pod.Failed(err)
	}
	return err
}
