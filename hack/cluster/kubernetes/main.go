package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	_ "time/tzdata" // CronJob time zones, whatever the machine has installed.

	_ "k8s.io/client-go/plugin/pkg/client/auth"           // kubectl's auth plugins.
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json.
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // Client metrics on /metrics.
	_ "k8s.io/component-base/metrics/prometheus/version"  // Build version on /metrics.
)

// main runs the component whose name the binary was called by.
func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	run, known := components[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: not a component; link this binary under one of the names: %s\n",
			name, strings.Join(componentNames(), " "))
		os.Exit(2)
	}
	os.Exit(run())
}

// componentNames lists the names in a fixed order, for the message above.
func componentNames() []string {
	names := make([]string, 0, len(components))
	for name := range components {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
