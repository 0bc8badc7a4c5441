package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
	"github.com/mongobench/mongobench-operator/loadgen/topology"
)

// topologyFlags is how a topology Job is told what to do.
type topologyFlags struct {
	topology, keyfile             string
	admin, load, observer, action string
	caFile, clientCertificate     string
	uriFile, resultObject         string
}

func topologyCommand() *cobra.Command {
	flags := &topologyFlags{}
	command := newCommand("topology", "Form the topology of a deployment, and report what its servers are", flags.run)
	set := command.Flags()
	set.StringVar(&flags.topology, "topology", "", "file with the topology to form")
	set.StringVar(&flags.keyfile, "keyfile", "", "file with the members' keyfile")
	set.StringVar(&flags.admin, "admin-credentials", "",
		"folder with username and password of the administrator to create")
	set.StringVar(&flags.load, "load-credentials", "", "folder with username and password of the load's user to create")
	set.StringVar(&flags.observer, "observer-credentials", "",
		"folder with username and password of the user to create for observing the servers")
	set.StringVar(&flags.action, "action-credentials", "",
		"folder with username and password of the user to create for actions")
	set.StringVar(&flags.caFile, "tls-ca-file", "",
		"file with the certificate authorities of the members, in PEM; turns on TLS")
	set.StringVar(&flags.clientCertificate, "tls-client-certificate", "",
		"folder with tls.crt and tls.key, in PEM, to show to the servers of an existing deployment; turns on TLS")
	set.StringVar(&flags.uriFile, "uri-file", "", "file with the connection string of an existing deployment")
	set.StringVar(&flags.resultObject, "result-configmap", "", "ConfigMap to write the result to")
	require(command, "topology", "result-configmap")
	return command
}

func (f *topologyFlags) run(ctx context.Context, _ io.Writer) error {
	content, err := os.ReadFile(f.topology)
	if err != nil {
		return fmt.Errorf("reading the topology: %w", err)
	}
	declared, err := planv1.DecodeTopology(content)
	if err != nil {
		return skewError{err}
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
	switch {
	case declared.Kind == benchv1alpha1.TopologyExternal:
		return f.look(ctx)
	case tooOld(declared.ServerVersion):
		return f.await(ctx, declared.Sets[0].Members[0])
	}
	secrets, err := f.secrets(declared)
	if err != nil {
		return reportv1.Server{}, err
	}
	return topology.Build(ctx, declared, secrets)
}

func (f *topologyFlags) look(ctx context.Context) (reportv1.Server, error) {
	if f.uriFile == "" {
		return reportv1.Server{}, errors.New("an external deployment needs --uri-file")
	}
	existing := &connection{uriFile: f.uriFile}
	existing.CAFile, existing.ClientCertificate = f.caFile, f.clientCertificate
	target, err := existing.open(ctx, 1)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer closeTarget(ctx, target)
	return target.Describe(ctx)
}

// tooOld says whether a version of MongoDB, or of TokuMX, is older than the driver speaks to. Of these only a server
// alone is deployed, without users, so that there is nothing to build.
func tooOld(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(major + minor)
	return err == nil && number < 42
}

// await waits until an old server answers, for as long as there is time.
func (f *topologyFlags) await(ctx context.Context, host string) (reportv1.Server, error) {
	config := mongo.Config{URIs: []string{"mongodb://" + host + "/?directConnection=true"}, CAFile: f.caFile}
	target, err := legacy.Open(ctx, config)
	for err != nil && ctx.Err() == nil {
		target, err = legacy.Open(ctx, config)
	}
	if err != nil {
		return reportv1.Server{}, err
	}
	defer closeTarget(ctx, target)
	return target.Describe(ctx)
}

// secrets reads the files of a deployment. One without authentication has none, except an authority.
func (f *topologyFlags) secrets(declared planv1.Topology) (topology.Secrets, error) {
	secrets := topology.Secrets{CAFile: f.caFile}
	if declared.WithoutUsers {
		return secrets, nil
	}
	keyfile, err := os.ReadFile(f.keyfile)
	if err != nil {
		return topology.Secrets{}, fmt.Errorf("reading the keyfile: %w", err)
	}
	secrets.Keyfile = string(keyfile)
	for _, user := range []struct {
		folder string
		into   *topology.Credentials
	}{{f.admin, &secrets.Admin}, {f.load, &secrets.Load}, {f.observer, &secrets.Observer}, {f.action, &secrets.Action}} {
		if *user.into, err = credentials(user.folder); err != nil {
			return topology.Secrets{}, err
		}
	}
	return secrets, nil
}

func credentials(folder string) (topology.Credentials, error) {
	username, password, err := loadgen.Credentials(folder)
	return topology.Credentials{Username: username, Password: password}, err
}
