package sql

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	database "database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
)

// adminConnections are enough for what is not measured: the readers of a verification.
const adminConnections = 4

// modes of every session: what does not fit into a column is an error and never cut, and a backslash escapes.
const modes = "'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"

// driverModule is the path of the driver's module.
const driverModule = "github.com/go-sql-driver/mysql"

// Database is what targets of this driver are called in messages.
const Database = "MariaDB"

// Driver speaks SQL.
var Driver = driver.Driver{
	Database: Database,
	Takes:    Takes,
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, config)
	},
}

// Takes says whether a connection string is that of a MariaDB or MySQL.
func Takes(config driver.Config) bool {
	return slices.ContainsFunc(config.URIs, func(uri string) bool { return strings.HasPrefix(uri, Scheme) })
}

// Target is a MariaDB or MySQL server.
type Target struct {
	claims

	location Location
	// driver is what connections of sessions are made with, but for how they are dialed.
	driver *mysql.Config
	// admin is for what is not measured, as the load's user, and observer for what the observer's user does.
	admin, observer    *database.DB
	timeout, selection time.Duration
	traffic            *Traffic
	// settings are the server's, as it had them when the target was opened.
	settings settings
}

// Locate says what one server is connected to by.
func Locate(config driver.Config) (Location, error) {
	switch {
	case len(config.URIs) > 1:
		return Location{}, errors.New("several connection strings were given; a load goes to one MariaDB")
	case config.WireVersion != nil:
		return Location{}, errors.New("--wire-version is for MongoDB")
	case config.ClientCertificate != "":
		return Location{}, errors.New("--tls-client-certificate is for MongoDB")
	}
	location, err := Parse(config.URIs[0])
	if config.CAFile != "" {
		location.TLS, location.CAFile = TLSVerified, config.CAFile
	}
	return location, err
}

// Open connects to a server and makes sure that it answers. Errors hold no credentials.
func Open(ctx context.Context, config driver.Config) (*Target, error) {
	location, err := Locate(config)
	if err != nil {
		return nil, err
	}
	target := &Target{location: location, traffic: &Traffic{}}
	target.tables = tables{target}
	target.timeout, target.selection = config.Timeouts()
	if err := target.login(config); err != nil {
		return nil, err
	}
	if err := target.connect(ctx); err != nil {
		return nil, errors.Join(err, target.Close(ctx))
	}
	return target, nil
}

// login makes what connections of both users are made with.
func (t *Target) login(config driver.Config) error {
	if config.Credentials != "" {
		if t.location.User != "" {
			return errors.New("the connection string has credentials, and others were given beside it; use one of them")
		}
		var err error
		if t.location.User, t.location.Password, err = loadgen.Credentials(config.Credentials); err != nil {
			return err
		}
	}
	secured, err := t.location.tlsConfig()
	if err != nil {
		return err
	}
	t.driver = t.driverConfig(t.location.User, t.location.Password, secured)
	if t.admin, err = newPool(t.driver); err != nil {
		return err
	}
	t.observer = t.admin
	if config.ObserverCredentials == "" {
		return nil
	}
	name, password, err := loadgen.Credentials(config.ObserverCredentials)
	if err != nil {
		return err
	}
	t.observer, err = newPool(t.driverConfig(name, password, secured))
	return err
}

// driverConfig is what the driver is told for one user.
func (t *Target) driverConfig(name, password string, secured *tls.Config) *mysql.Config {
	config := mysql.NewConfig()
	config.User, config.Passwd = name, password
	config.Net, config.Addr, config.TLS = t.location.Network, t.location.Address, secured
	config.Timeout = min(t.selection, t.timeout)
	// An update counts the rows that it finds, whether or not they were as they are to be.
	config.ClientFoundRows = true
	config.Params = map[string]string{
		"sql_mode": modes, "time_zone": "'+00:00'", "autocommit": "1",
		// A locked table is waited for as long as an operation may take, not for the server's default of a day.
		"lock_wait_timeout": strconv.Itoa(max(1, int(t.timeout.Seconds()))),
	}
	config.ConnectionAttributes = "program_name:mongobench"
	// What goes wrong is in the errors.
	config.Logger = &mysql.NopLogger{}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return t.dial(ctx, network, address)
	}
	return config
}

// newPool makes a pool of connections for what is not measured.
func newPool(config *mysql.Config) (*database.DB, error) {
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("connection string: %w", err)
	}
	pool := database.OpenDB(connector)
	pool.SetMaxOpenConns(adminConnections)
	pool.SetMaxIdleConns(adminConnections)
	return pool, nil
}

// connect waits for the server, and reads its settings.
func (t *Target) connect(ctx context.Context) error {
	var err error
	t.settings, err = Reach(ctx, t.selection, isFinal, func(ctx context.Context) (settings, error) {
		return tables{t}.readSettings(ctx, t.admin)
	})
	_, refused := errors.AsType[*mysql.MySQLError](err)
	switch {
	case err == nil:
		t.driver.MaxAllowedPacket = t.settings.maxPacket()
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case isDistrust(err):
		return fmt.Errorf("the certificate of the server at %s cannot be trusted; check the authority that is given for it "+
			"(tlsCA), the name in the connection string and its dates: %w", t.location.Address, err)
	case classify(err) == ClassAuthentication:
		return fmt.Errorf("authentication at %s as user %q failed; check the name and the password: %w",
			t.location.Address, t.location.User, err)
	case refused:
		return fmt.Errorf("the server at %s answered, and refused: %w", t.location.Address, err)
	}
	return fmt.Errorf("no server at %s answered within %s; check the address, that the server runs, the network, and "+
		"TLS: %w", t.location.Address, t.selection, err)
}

// Close ends all connections but those of sessions.
func (t *Target) Close(context.Context) error {
	if t.admin == nil {
		return nil
	}
	err := t.admin.Close()
	if t.observer != t.admin && t.observer != nil {
		err = errors.Join(err, t.observer.Close())
	}
	if err != nil {
		return fmt.Errorf("disconnecting: %w", err)
	}
	return nil
}

// Location is what the connection string says, with the credentials that are in use.
func (t *Target) Location() Location {
	return t.location
}

// Driver names the driver and its version.
func (t *Target) Driver() string {
	name := "go-sql-driver"
	built, _ := debug.ReadBuildInfo()
	if built == nil {
		return name
	}
	for _, module := range built.Deps {
		if module.Path == driverModule {
			return name + " " + module.Version
		}
	}
	return name
}

// Traffic is what went over all connections since the target was opened.
func (t *Target) Traffic() reportv1.Traffic {
	return reportv1.Traffic{BytesIn: t.traffic.In.Load(), BytesOut: t.traffic.Out.Load()}
}

// Counter is what counts that, for connections that do not speak SQL.
func (t *Target) Counter() *Traffic {
	return t.traffic
}

// tlsConfig is nil without TLS. The name in the server's certificate is verified against the address.
func (l Location) tlsConfig() (*tls.Config, error) {
	if l.TLS == TLSOff {
		return nil, nil //nolint:nilnil // The driver takes nil for a connection without TLS.
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if l.TLS == TLSUnverified {
		config.InsecureSkipVerify = true // The user has asked for it, by skip-verify.
		return config, nil
	}
	config.ServerName, _, _ = net.SplitHostPort(l.Address)
	if l.CAFile == "" {
		return config, nil
	}
	content, err := os.ReadFile(l.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the authorities of the server's certificate: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate in PEM; give the authority that signed the server's certificate",
			l.CAFile)
	}
	return config, nil
}

// connectPause lies between two attempts to reach a server.
const connectPause = 50 * time.Millisecond

// asker is a pool of connections, or one of them.
type asker interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*database.Rows, error)
}

// each sends a query that is not measured, and gives every row of its answer to a function. It is given up when it
// takes longer than an operation may.
func (t *Target) each(
	ctx context.Context, of asker, row func(*database.Rows) error, query string, arguments ...any,
) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	rows, err := of.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// change sends a statement that is not measured and changes little. It is given up when it takes longer than an
// operation may.
func (t *Target) change(ctx context.Context, statement string, arguments ...any) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	_, err := t.admin.ExecContext(ctx, statement, arguments...)
	return err
}

// Reach tries to reach a server until it takes connections, refuses them for good, or the time is up. The error is then
// what the server said last, if it said anything, and otherwise what was last in the way: that the time was up in the
// middle of an attempt says nothing.
func Reach[C any](
	ctx context.Context, limit time.Duration, isFinal func(error) bool, try func(context.Context) (C, error),
) (C, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var said, inTheWay error
	for {
		reached, err := try(ctx)
		if err == nil || isFinal(err) {
			return reached, err
		}
		if _, refused := errors.AsType[*mysql.MySQLError](err); refused {
			said = err
		}
		// A dialer may say that the time is up a moment before the context does.
		if deadline, _ := ctx.Deadline(); ctx.Err() == nil && time.Now().Before(deadline) {
			inTheWay = err
		}
		select {
		case <-ctx.Done():
			return reached, cmp.Or(said, inTheWay, err)
		case <-time.After(connectPause):
		}
	}
}

// isFinal says whether waiting does not change what was in the way.
func isFinal(err error) bool {
	return isRefusal(err) || isDistrust(err)
}

// isDistrust says whether a certificate is none that the target trusts, which waiting does not change.
func isDistrust(err error) bool {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return distrusted
}
