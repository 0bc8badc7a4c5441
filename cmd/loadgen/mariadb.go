package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
)

func mariadbCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "mariadb",
		Short: "Helper commands that run inside a MariaDB pod",
		Args:  cobra.NoArgs,
	}
	command.AddCommand(mariadbInstallCommand(), mariadbBootstrapCommand(), mariadbStartCommand(),
		mariadbUsageCommand(), mariadbProbeCommand())
	return command
}

func mariadbInstallCommand() *cobra.Command {
	var folder string
	command := newCommand("install", "Copy this program into a folder, for containers with other images",
		func(context.Context, io.Writer) error { return mariadb.Install(folder) })
	command.Flags().StringVar(&folder, "to", "", "folder to copy to")
	require(command, "to")
	return command
}

// bootstrapFlags say what the data of a server is made of.
type bootstrapFlags struct {
	data, load, observer string
	share, databases     []string
}

func mariadbBootstrapCommand() *cobra.Command {
	flags := &bootstrapFlags{}
	command := &cobra.Command{
		Use:   "bootstrap -- mariadbd [ARGUMENT...]",
		Short: "Create the system tables and users of a server that was never started",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return flags.run(command.Context(), arguments)
		},
	}
	set := command.Flags()
	set.StringVar(&flags.data, "data", "", "data folder to create; existing data is kept")
	set.StringVar(&flags.load, "load-credentials", "", "folder with username and password of the load's user to create")
	set.StringVar(&flags.observer, "observer-credentials", "",
		"folder with username and password of the user to create for observing the server")
	set.StringArrayVar(&flags.databases, "database", nil, "database in which the load has all rights; may be repeated")
	set.StringArrayVar(&flags.share, "share", mariadb.ShareFolders(),
		"folder to search for the statements of the system tables; may be repeated")
	require(command, "data", "load-credentials", "observer-credentials", "database")
	return command
}

func (f *bootstrapFlags) run(ctx context.Context, server []string) error {
	bootstrap := mariadb.Bootstrap{Server: server, Data: f.data, Share: f.share, Databases: f.databases}
	for _, user := range []struct {
		folder string
		into   *mariadb.Credentials
	}{{f.load, &bootstrap.Load}, {f.observer, &bootstrap.Observer}} {
		read, err := credentials(user.folder)
		if err != nil {
			return err
		}
		*user.into = mariadb.Credentials{Username: read.Username, Password: read.Password}
	}
	return bootstrap.Run(ctx)
}

// usageCommand is what mariadb start leaves beside the server.
const usageCommand = "usage"

func mariadbStartCommand() *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   "start -- mariadbd [ARGUMENT...]",
		Short: "Become the server, and start a process that writes its resource usage to a file",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return mariadb.Start(command.Context(), arguments, []string{"mariadb", usageCommand}, file)
		},
	}
	command.Flags().StringVar(&file, "usage", "", "file to write; name it usage, in the folder of the server's "+
		"secure_file_priv, where the observer looks")
	require(command, "usage")
	return command
}

func mariadbUsageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   usageCommand + " PROCESS FILE",
		Short: "Write the resource usage of a process to a file, until the process ends",
		Args:  cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, arguments []string) error {
			process, err := strconv.Atoi(arguments[0])
			if err != nil {
				return fmt.Errorf("the number of the process: %w", err)
			}
			mariadb.WriteUsage(command.Context(), process, arguments[1], slog.New(slog.NewTextHandler(os.Stderr, nil)))
			return nil
		},
	}
}

func mariadbProbeCommand() *cobra.Command {
	var uriFile string
	command := newCommand("probe",
		"Check that the local server works: log in, and read a table over HandlerSocket if it is enabled",
		func(ctx context.Context, _ io.Writer) error {
			content, err := os.ReadFile(uriFile)
			if err != nil {
				return fmt.Errorf("reading the connection string: %w", err)
			}
			return mariadb.Probe(ctx, strings.TrimSpace(string(content)))
		})
	command.Flags().StringVar(&uriFile, "uri-file", "", "file with the connection string; its host is ignored")
	require(command, "uri-file")
	return command
}
