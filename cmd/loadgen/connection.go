package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// drivers are asked in this order whether a target is theirs.
var drivers = []driver.Driver{handlersocket.Driver, sql.Driver, shards.Driver, legacy.Driver, mongo.Driver}

// wireVersion is one that was asked for; without one it is the server's.
type wireVersion struct {
	asked *int
}

// String is what the help shows as the default.
func (v *wireVersion) String() string {
	if v.asked == nil {
		return ""
	}
	return strconv.Itoa(*v.asked)
}

// Type is what the help calls the value.
func (v *wireVersion) Type() string { return "int" }

// Set reads a value of the command line.
func (v *wireVersion) Set(text string) error {
	number, err := strconv.ParseUint(text, 10, 8)
	if err != nil {
		return err
	}
	v.asked = new(int(number))
	return nil
}

// connection is how a command line says what to connect to.
type connection struct {
	driver.Config

	uris        []string
	uriFile     string
	wireVersion wireVersion
	// typed says that the connection string was typed as an argument, where people have passwords in it.
	typed bool
	// prefix is that of the flags, which errors name.
	prefix string
}

// register adds all flags of a connection.
func (c *connection) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&c.uris, "uri", nil, "connection string without a password or secret, such as "+
		"mongodb://127.0.0.1:27017, or mysql://127.0.0.1:3306 for MariaDB;\n"+
		"give it once per shard (run and verify only) to route documents by their shard key")
	c.registerMeans(command)
	command.MarkFlagsOneRequired("uri", "uri-file")
	command.MarkFlagsMutuallyExclusive("uri", "uri-file")
}

// registerMeans adds those that say how to connect, and the file that says to what.
func (c *connection) registerMeans(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.uriFile, "uri-file", "", "file with a connection string, which may hold secrets; "+
		"one per line for several shards")
	flags.StringVar(&c.Credentials, "credentials", "", "folder with the files username and password, for --uri")
	flags.StringVar(&c.CAFile, "tls-ca-file", "",
		"file with the certificate authorities of the servers, in PEM; turns on TLS")
	flags.StringVar(&c.ClientCertificate, "tls-client-certificate", "", "folder with the files tls.crt and tls.key, in "+
		"PEM, to show to the servers;\nturns on TLS. To log in by it: authMechanism=MONGODB-X509 in the connection string")
	flags.Var(&c.wireVersion, "wire-version", "send the requests of an older server: "+
		"0 for MongoDB 2.4 and TokuMX, 2 for 2.6;\nMongoDB up to 5.0 accepts them; old servers always get them")
	flags.DurationVar(&c.OperationTimeout, "operation-timeout", driver.DefaultOperationTimeout,
		"timeout of one operation")
	flags.DurationVar(&c.SelectionTimeout, "selection-timeout", driver.DefaultSelectionTimeout,
		"how long to look for a server that can take an operation")
}

// password and secret are connection strings with one in them: every user of the machine could read it in the list of
// processes. Of a secret it is the option.
var (
	password = regexp.MustCompile(`^[a-z+]+://[^/]*:[^/]*@`)
	secret   = regexp.MustCompile(
		`(?i)[?&](handlersocketSecret|tlsCertificateKeyFilePassword|sslClientCertificateKeyPassword)=`)
)

// addresses are the connection strings: one, or those of the shards in their order.
func (c *connection) addresses() ([]string, error) {
	if !c.typed && slices.ContainsFunc(c.uris, password.MatchString) {
		return nil, fmt.Errorf("--%[1]suri must not hold a password, since other users can read command lines; use "+
			"--%[1]suri-file, or --%[1]scredentials with a folder that has the files username and password", c.prefix)
	}
	for _, uri := range c.uris {
		if found := secret.FindStringSubmatch(uri); found != nil {
			return nil, fmt.Errorf("--%[1]suri must not hold %[2]s, since other users can read command lines; use "+
				"--%[1]suri-file", c.prefix, found[1])
		}
	}
	if c.uriFile == "" {
		return c.uris, nil
	}
	content, err := os.ReadFile(c.uriFile)
	if err != nil {
		return nil, fmt.Errorf("reading the connection string: %w", err)
	}
	uris := strings.Fields(string(content))
	if len(uris) == 0 {
		return nil, fmt.Errorf("%s holds no connection string", c.uriFile)
	}
	return uris, nil
}

// open connects to what the command line names, one deployment or shards, with this many connections each. The caller
// closes it with closeTarget.
func (c *connection) open(ctx context.Context, connections int) (driver.Target, error) {
	uris, err := c.addresses()
	if err != nil {
		return nil, err
	}
	return c.connect(ctx, uris, connections)
}

func (c *connection) connect(ctx context.Context, uris []string, connections int) (driver.Target, error) {
	c.URIs, c.Connections, c.WireVersion = uris, connections, c.wireVersion.asked
	opened, err := driver.Open(ctx, drivers, c.Config)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		// Why the program was to end says more than what that broke.
		return nil, cause
	}
	return opened, err
}

// openSingle is open for what is not done to shards that the load generator routes to by itself.
func (c *connection) openSingle(ctx context.Context, connections int) (driver.Target, error) {
	uris, err := c.addresses()
	if err != nil {
		return nil, err
	}
	if len(uris) > 1 {
		return nil, fmt.Errorf("%d connection strings were given, and only run and verify take several, one for each shard; "+
			"give the one of the deployment, or of a mongos", len(uris))
	}
	return c.openMongoDB(ctx, connections)
}

// openMongoDB is open for what is not done to a MariaDB.
func (c *connection) openMongoDB(ctx context.Context, connections int) (driver.Target, error) {
	uris, err := c.addresses()
	if err != nil {
		return nil, err
	}
	if chosen, err := driver.For(drivers, driver.Config{URIs: uris}); err == nil && chosen.Database != mongo.Database {
		return nil, fmt.Errorf("this is for %s, and the connection string is that of a %s; run and verify take both",
			mongo.Database, chosen.Database)
	}
	return c.connect(ctx, uris, connections)
}

// openOne is openSingle for what only the driver can do.
func (c *connection) openOne(ctx context.Context, connections int) (*mongo.Target, error) {
	opened, err := c.openSingle(ctx, connections)
	if err != nil {
		return nil, err
	}
	byDriver, able := opened.(*mongo.Target)
	if !able {
		closeTarget(ctx, opened)
		return nil, errors.New("this needs MongoDB 4.2 or newer, without --wire-version")
	}
	return byDriver, nil
}
