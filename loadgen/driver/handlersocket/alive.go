package handlersocket

import (
	"context"
	"fmt"
	"time"
)

// Probe is a look into a table, which a server that is alive answers. The port of one that is dead may well take
// connections: its listener outlives the threads that would answer.
type Probe struct {
	// Address as host:port, and the port's secret.
	Address, Secret string
	// Database, Table and Column of what is looked into along its primary key, and the Key; a row need not be there.
	Database, Table, Column, Key string
	// Timeout of the whole.
	Timeout time.Duration
}

// Alive opens the table, looks for a row, and closes the connection again: for as long as it is open the table can be
// neither changed nor dropped.
func Alive(ctx context.Context, probe Probe) error {
	conn, err := Dial(ctx, probe.Address, probe.Secret, probe.Timeout)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	lines := appendOpen(nil, 0, opening{
		database: probe.Database, table: probe.Table, index: "PRIMARY", columns: []string{probe.Column},
	})
	lines = append(appendToken(append(lines, "0\t=\t1"...), probe.Key), lineEnd)
	if err := conn.Send(lines); err != nil {
		return fmt.Errorf("asking HandlerSocket at %s: %w", probe.Address, conn.broken(err))
	}
	for _, doing := range []string{"opening a table", "looking for a row"} {
		if _, err := conn.Receive(); err != nil {
			return fmt.Errorf("%s over HandlerSocket at %s: %w", doing, probe.Address, conn.broken(err))
		}
	}
	return nil
}
