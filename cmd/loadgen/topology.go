package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
	"github.com/mongobench/mongobench-operator/loadgen/topology"
)

// topologyFlags is how a topology Job is told what to do.
type topologyFlags struct {
	topology, keyfile     string
	admin, load           string
	uriFile, resultObject string
}

func topologyCommand() *cobra.Command {
	flags := &topologyFlags{}
	command := &cobra.Command{
		Use:   "topology",
		Short: "Brings a deployment into its topology, and says what the servers are",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.run(command.Context())
		},
	}
	set := command.Flags()
	set.StringVar(&flags.topology, "topology", "", "file with what is to be made")
	set.StringVar(&flags.keyfile, "keyfile", "", "file with the members' keyfile")
	set.StringVar(&flags.admin, "admin-credentials", "", "folder with username and password of the administrator to make")
	set.StringVar(&flags.load, "load-credentials", "", "folder with username and password of the load's user to make")
	set.StringVar(&flags.uriFile, "uri-file", "", "file with the connection string of a deployment that exists already")
	set.StringVar(&flags.resultObject, "result-configmap", "", "ConfigMap that takes what was found")
	_ = command.MarkFlagRequired("topology")
	_ = command.MarkFlagRequired("result-configmap")
	return command
}

func (f *topologyFlags) run(ctx context.Context) error {
	content, err := os.ReadFile(f.topology)
	if err != nil {
		return fmt.Errorf("reading the topology: %w", err)
	}
	declared, err := planv1.DecodeTopology(content)
	if err != nil {
		return err
	}
	configMaps, err := kube.InCluster(os.Getenv(namespaceVariable))
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(declared.DeadlineSeconds)*time.Second)
	defer cancel()
	server, err := f.make(limited, declared)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("topology: %w", err)
	}
	return configMaps.Topology(ctx, f.resultObject, reportv1.TopologyReport{Version: reportv1.Version, Server: server})
}

// make builds the topology, or looks at one that exists.
func (f *topologyFlags) make(ctx context.Context, declared planv1.Topology) (reportv1.Server, error) {
	if declared.Kind == planv1.TopologyExternal {
		return f.look(ctx)
	}
	secrets, err := f.secrets()
	if err != nil {
		return reportv1.Server{}, err
	}
	return topology.Build(ctx, declared, secrets)
}

func (f *topologyFlags) look(ctx context.Context) (reportv1.Server, error) {
	if f.uriFile == "" {
		return reportv1.Server{}, errors.New("an external deployment needs --uri-file")
	}
	config, err := (&connection{uriFile: f.uriFile}).config(1)
	if err != nil {
		return reportv1.Server{}, err
	}
	target, err := mongo.Open(ctx, config)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer closeTarget(ctx, target)
	return target.Describe(ctx)
}

func (f *topologyFlags) secrets() (topology.Secrets, error) {
	keyfile, err := os.ReadFile(f.keyfile)
	if err != nil {
		return topology.Secrets{}, fmt.Errorf("reading the keyfile: %w", err)
	}
	admin, err := credentials(f.admin)
	if err != nil {
		return topology.Secrets{}, err
	}
	load, err := credentials(f.load)
	if err != nil {
		return topology.Secrets{}, err
	}
	return topology.Secrets{Keyfile: string(keyfile), Admin: admin, Load: load}, nil
}

func credentials(folder string) (topology.Credentials, error) {
	username, err := os.ReadFile(filepath.Join(folder, "username"))
	if err != nil {
		return topology.Credentials{}, fmt.Errorf("reading credentials: %w", err)
	}
	password, err := os.ReadFile(filepath.Join(folder, "password"))
	if err != nil {
		return topology.Credentials{}, fmt.Errorf("reading credentials: %w", err)
	}
	return topology.Credentials{
		Username: strings.TrimSpace(string(username)), Password: strings.TrimRight(string(password), "\r\n"),
	}, nil
}
