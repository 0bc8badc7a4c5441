package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// connection is how a command line says what to connect to.
type connection struct {
	uri, uriFile, credentials string
	operationTimeout          time.Duration
	selectionTimeout          time.Duration
}

func (c *connection) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.uri, "uri", "", "connection string without a password, such as mongodb://127.0.0.1:27017")
	flags.StringVar(&c.uriFile, "uri-file", "", "file with a connection string, which may hold a password")
	flags.StringVar(&c.credentials, "credentials", "", "folder with the files username and password, for --uri")
	flags.DurationVar(&c.operationTimeout, "operation-timeout", mongo.DefaultOperationTimeout,
		"how long one operation may take")
	flags.DurationVar(&c.selectionTimeout, "selection-timeout", mongo.DefaultSelectionTimeout,
		"how long a server that can take an operation is looked for")
	command.MarkFlagsOneRequired("uri", "uri-file")
	command.MarkFlagsMutuallyExclusive("uri", "uri-file")
}

// password is a connection string with one in it: every user of the machine could read it in the list of processes.
var password = regexp.MustCompile(`^[a-z+]+://[^/]*:[^/]*@`)

// config is what to connect to with this many connections.
func (c *connection) config(connections int) (mongo.Config, error) {
	config := mongo.Config{
		URI: c.uri, Credentials: c.credentials, Connections: connections,
		OperationTimeout: c.operationTimeout, SelectionTimeout: c.selectionTimeout,
	}
	if password.MatchString(c.uri) {
		return mongo.Config{}, errors.New("--uri must not hold a password, since other users can read command lines; " +
			"use --uri-file, or --credentials with a folder that has the files username and password")
	}
	if c.uriFile == "" {
		return config, nil
	}
	content, err := os.ReadFile(c.uriFile)
	if err != nil {
		return mongo.Config{}, fmt.Errorf("reading the connection string: %w", err)
	}
	config.URI = strings.TrimSpace(string(content))
	return config, nil
}

// open connects with this many connections. The caller closes the target with closeTarget.
func (c *connection) open(ctx context.Context, connections int) (*mongo.Target, error) {
	config, err := c.config(connections)
	if err != nil {
		return nil, err
	}
	target, err := mongo.Open(ctx, config)
	if cause := context.Cause(ctx); cause != nil {
		// Why the program was to end says more than what that broke.
		return nil, cause
	}
	return target, err
}
