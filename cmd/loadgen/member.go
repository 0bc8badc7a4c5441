package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// keyfileMode is the only one besides 0600 with which mongod accepts a keyfile. A mounted Secret cannot have it, hence
// the copy.
const keyfileMode = 0o400

// Files of a certificate in its folder, as a Secret of the type kubernetes.io/tls has them.
const (
	certificateFile = "tls.crt"
	privateKeyFile  = "tls.key"
)

// keyfileFlags say what a member's own files are made from.
type keyfileFlags struct {
	from, to         string
	certificate, pem string
}

func keyfileCommand() *cobra.Command {
	flags := &keyfileFlags{}
	command := newCommand("keyfile", "Write the keyfile and certificate file of a mongod, readable only by its own user",
		flags.run)
	set := command.Flags()
	set.StringVar(&flags.from, "from", "", "keyfile to copy")
	set.StringVar(&flags.to, "to", "", "keyfile to write, with mode 0400")
	set.StringVar(&flags.certificate, "certificate", "", "folder with the files tls.crt and tls.key")
	set.StringVar(&flags.pem, "pem", "", "file to write both to, as --tlsCertificateKeyFile needs it, with mode 0400")
	command.MarkFlagsRequiredTogether("from", "to")
	command.MarkFlagsRequiredTogether("certificate", "pem")
	command.MarkFlagsOneRequired("from", "certificate")
	return command
}

// run may be repeated: a file that is there is replaced.
func (f *keyfileFlags) run(context.Context, io.Writer) error {
	if f.from != "" {
		key, err := os.ReadFile(f.from)
		if err != nil {
			return fmt.Errorf("reading the keyfile: %w", err)
		}
		if err := writePrivately(f.to, key); err != nil {
			return fmt.Errorf("making the keyfile: %w", err)
		}
	}
	if f.certificate == "" {
		return nil
	}
	content, err := certificateAndKey(f.certificate)
	if err != nil {
		return err
	}
	if err := writePrivately(f.pem, content); err != nil {
		return fmt.Errorf("making the certificate's file: %w", err)
	}
	return nil
}

// certificateAndKey reads the two files of a certificate.
func certificateAndKey(folder string) ([]byte, error) {
	var content []byte
	for _, name := range []string{certificateFile, privateKeyFile} {
		part, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("reading the certificate: %w", err)
		}
		content = append(append(content, bytes.TrimSpace(part)...), '\n')
	}
	return content, nil
}

// writePrivately makes a file that its user alone can read. It gets its mode before it gets its name: mongod may start
// as soon as the name is there.
func writePrivately(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".making-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Chmod(file.Name(), keyfileMode); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Defaults of how long synchronising is measured.
const (
	defaultSyncs    = 1000
	defaultSyncTime = 2 * time.Second
)

// syncLatencyCommand is for a volume that a server's data is to lie on, before the server is there: afterwards the two
// would be in each other's way.
func syncLatencyCommand() *cobra.Command {
	var folder string
	var syncs int
	var most time.Duration
	command := newCommand("sync-latency",
		"Measure how long fdatasync takes in a folder, in microseconds, and print it as JSON",
		func(ctx context.Context, out io.Writer) error {
			found, err := measure.SyncLatency(ctx, folder, syncs, most)
			if err != nil {
				return err
			}
			text, err := json.Marshal(found)
			if err != nil {
				return err
			}
			writeTerminationMessage(terminationMessagePath, string(text))
			_, err = fmt.Fprintln(out, string(text))
			return err
		})
	command.Long = "Measure how long it takes to overwrite a block of 4 KiB in a folder and sync it to disk.\n" +
		"In a container it is also the termination message."
	command.Example = "  loadgen sync-latency --dir /data\n  {\"p50\":120,\"p99\":370}"
	flags := command.Flags()
	flags.StringVar(&folder, "dir", "", "folder on the volume; needs 4 MiB of space")
	flags.IntVar(&syncs, "syncs", defaultSyncs, "maximum number of syncs")
	flags.DurationVar(&most, "time", defaultSyncTime, "maximum time, beyond the first hundred syncs")
	require(command, "dir")
	return command
}

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
