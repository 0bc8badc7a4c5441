package honesty

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"text/tabwriter"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

var tableFile = flag.String("table", "", "write the table and the figures to this file")

// Main runs the tests of the package, stops the servers that they shared, and writes the table. It returns the exit
// code.
func Main(m *testing.M) int {
	code := mongotest.Main(m)
	mutex.Lock()
	defer mutex.Unlock()
	if len(rows) == 0 {
		return code
	}
	write(os.Stdout)
	if *tableFile == "" {
		return code
	}
	file, err := os.Create(*tableFile)
	if err == nil {
		write(file)
		err = file.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "writing the table:", err)
		return max(code, 1)
	}
	return code
}

// write writes a row for each scenario, and a line for each figure.
func write(to io.Writer) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "item\tscenario\ttruth\treported\ttrusted\tdoubt")
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.scenario.Item, r.scenario.Name, r.scenario.Truth,
			r.told.Reported, trusted(r.told), r.remark())
	}
	_ = table.Flush()
	for _, f := range figures {
		_, _ = fmt.Fprintf(to, "FIGURE %s %s %s\n", f.name, strconv.FormatFloat(f.value, 'f', 4, 64), f.unit)
	}
}

func trusted(told Told) string {
	if len(told.Doubts) == 0 {
		return "yes"
	}
	return "no"
}

// remark is what the result says of the number, and what is wrong with that.
func (r row) remark() string {
	said := r.told.Says
	for _, doubt := range r.told.Doubts {
		if said != "" {
			said += ", "
		}
		said += doubt.Reason
	}
	if wrong := r.scenario.verdict(r.told); wrong != "" {
		return said + " (" + wrong + ")"
	}
	return said
}
