package mariadb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

const (
	// loopback is where a probe finds the server: it is in the same pod.
	loopback = "127.0.0.1"
	// probeTimeout is how long the server has for each answer. Whoever asks has a limit of their own.
	probeTimeout = 15 * time.Second
)

// Probe asks whether the server of a connection string, on this machine, works: it logs in and, where the connection
// string names the ports of HandlerSocket, looks into a table through each of them.
func Probe(ctx context.Context, uri string) error {
	here, err := onLoopback(uri)
	if err != nil {
		return err
	}
	target, err := sql.Open(ctx, driver.Config{
		URIs: []string{here}, OperationTimeout: probeTimeout, SelectionTimeout: probeTimeout,
	})
	if err != nil {
		return fmt.Errorf("logging in: %w", err)
	}
	plugin := target.Location().HandlerSocket
	if err := target.Close(ctx); err != nil || plugin == nil {
		return err
	}
	for _, port := range []int{plugin.Port, plugin.WritePort} {
		err := handlersocket.Alive(ctx, handlersocket.Probe{
			Address: net.JoinHostPort(loopback, strconv.Itoa(port)), Secret: plugin.Secret,
			Database: ProbeDatabase, Table: ProbeTable, Column: probeColumn, Key: "1", Timeout: probeTimeout,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// onLoopback is a connection string with another host. Its errors hold nothing of it.
func onLoopback(uri string) (string, error) {
	parsed, err := url.Parse(uri)
	if err != nil {
		return "", errors.New("the connection string cannot be read")
	}
	parsed.Host = net.JoinHostPort(loopback, parsed.Port())
	if parsed.Port() == "" {
		parsed.Host = loopback
	}
	return parsed.String(), nil
}
