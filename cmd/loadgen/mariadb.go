package main

import (
	"context"
	"fmt"
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
		Short: "What is done inside the pod of a MariaDB, whose image need hold nothing but the server",
		Args:  cobra.NoArgs,
	}
	command.AddCommand(mariadbInstallCommand(), mariadbBootstrapCommand(), mariadbStartCommand(),
		mariadbUsageCommand(), mariadbProbeCommand())
	return command
}

func mariadbInstallCommand() *cobra.Command {
	var folder string
	command := &cobra.Command{
		Use:   "install",
		Short: "Copies this program into a folder, for containers of other images",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return mariadb.Install(folder)
		},
	}
	command.Flags().StringVar(&folder, "to", "", "folder to copy to")
	_ = command.MarkFlagRequired("to")
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
		Short: "Makes the system tables and the users of a server that was never started",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return flags.run(command.Context(), arguments)
		},
	}
	set := command.Flags()
	set.StringVar(&flags.data, "data", "", "folder of the data to make; what is there stays as it is")
	set.StringVar(&flags.load, "load-credentials", "", "folder with username and password of the load's user to make")
	set.StringVar(&flags.observer, "observer-credentials", "",
		"folder with username and password of the user that looks at the server to make")
	set.StringArrayVar(&flags.databases, "database", nil, "database that the load may do everything in; may be repeated")
	set.StringArrayVar(&flags.share, "share", mariadb.ShareFolders(),
		"folder that may hold the statements for the system tables; may be repeated")
	for _, name := range []string{"data", "load-credentials", "observer-credentials", "database"} {
		_ = command.MarkFlagRequired(name)
	}
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
		Short: "Becomes the server, and leaves a process beside it that writes what the server uses into a file",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return mariadb.Start(command.Context(), arguments, []string{"mariadb", usageCommand}, file)
		},
	}
	command.Flags().StringVar(&file, "usage", "", "file to write; its name is usage, for whoever observes, and "+
		"the server's secure_file_priv its folder")
	_ = command.MarkFlagRequired("usage")
	return command
}

func mariadbUsageCommand() *cobra.Command {
	return &cobra.Command{
		Use:   usageCommand + " PROCESS FILE",
		Short: "Writes what a process uses into a file, until the process ends",
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
	command := &cobra.Command{
		Use:   "probe",
		Short: "Asks whether the server here works: logs in, and looks into a table over HandlerSocket where it is on",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			content, err := os.ReadFile(uriFile)
			if err != nil {
				return fmt.Errorf("reading the connection string: %w", err)
			}
			return mariadb.Probe(command.Context(), strings.TrimSpace(string(content)))
		},
	}
	command.Flags().StringVar(&uriFile, "uri-file", "", "file with the connection string; its host does not count")
	_ = command.MarkFlagRequired("uri-file")
	return command
}
