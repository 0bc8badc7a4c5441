package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/magiconair/properties"
	_ "github.com/pingcap/go-ycsb/db/mongodb"
	"github.com/pingcap/go-ycsb/pkg/client"
	"github.com/pingcap/go-ycsb/pkg/measurement"
	"github.com/pingcap/go-ycsb/pkg/prop"
	_ "github.com/pingcap/go-ycsb/pkg/workload"
	"github.com/pingcap/go-ycsb/pkg/ycsb"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goycsb:", err)
		os.Exit(1)
	}
}

// run does what go-ycsb's own commands "load mongodb" and "run mongodb" do.
func run(arguments []string) error {
	settings, err := parse(arguments)
	if err != nil {
		return err
	}
	measurement.InitMeasure(settings)
	workload, err := ycsb.GetWorkloadCreator("core").Create(settings)
	if err != nil {
		return fmt.Errorf("making the core workload: %w", err)
	}
	database, err := ycsb.GetDBCreator("mongodb").Create(settings)
	if err != nil {
		return fmt.Errorf("connecting to MongoDB: %w", err)
	}
	client.NewClient(settings, workload, client.DbWrapper{DB: database}).Run(context.Background())
	return errors.Join(database.Close(), workload.Close())
}

func parse(arguments []string) (*properties.Properties, error) {
	if len(arguments) == 0 || arguments[0] != "load" && arguments[0] != "run" {
		return nil, errors.New("usage: goycsb load|run [name=value]")
	}
	settings := properties.NewProperties()
	transactions := "false"
	if arguments[0] == "run" {
		transactions = "true"
	}
	pairs := []string{prop.DoTransactions + "=" + transactions, prop.Command + "=" + arguments[0]}
	for _, pair := range append(pairs, arguments[1:]...) {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			return nil, fmt.Errorf("%q is not of the form name=value", pair)
		}
		if _, _, err := settings.Set(name, value); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
	}
	return settings, nil
}
