package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/outlet"
)

const (
	// usualSamples and mostSamples are those of --operation-log-samples.
	usualSamples, mostSamples = 10, 1000
	// usualPush is how often figures are sent, unless it is said, and leastPush how often they may be.
	usualPush, leastPush = 10 * time.Second, time.Second
)

// outletFlags say what is written and sent elsewhere while the load generator is at work.
type outletFlags struct {
	histograms, operations string
	samples                int
	push                   []string
	labels                 map[string]string
}

func (f *outletFlags) register(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&f.histograms, "histogram-log", "", "file for the latencies of each second and operation, as "+
		"HdrHistogram's interval log;\n{pod} in its name stands for the number of the load pod")
	set.StringVar(&f.operations, "operation-log", "",
		"file for a sample of the operations, in which the slow ones are: CSV, or NDJSON if it ends with .ndjson;\n"+
			"{pod} in its name stands for the number of the load pod")
	set.IntVar(&f.samples, "operation-log-samples", usualSamples, fmt.Sprintf(
		"how many operations a second to log of each operation and range of latencies, 1 to %d", mostSamples))
	set.StringArrayVar(&f.push, "push", nil, "where to send the figures of GET "+metrics.Path+": the words "+
		string(outlet.OTLP)+" or "+string(outlet.RemoteWrite)+", the URL,\nand if need be how often (10s), and a folder "+
		"with a file for each header, and ca.crt; may be repeated")
	set.StringToStringVar(&f.labels, "push-label", nil, "label of all figures that are sent, such as run=nightly")
}

// open begins to write and to send what the engine does. Files that cannot be made, and receivers that cannot be
// understood, are errors before anything is done to the database.
func (f *outletFlags) open(follower *engine.Engine, shown *scraped) (closed func(), err error) {
	var files []io.Closer
	closed = func() {
		for _, file := range files {
			_ = file.Close()
		}
	}
	file := func(name string) (io.Writer, error) {
		made, err := makeLog(name, follower.Pod)
		if err == nil {
			files = append(files, made)
		}
		return made, err
	}
	if f.histograms != "" {
		to, err := file(f.histograms)
		if err != nil {
			return closed, err
		}
		follower.Outlets = append(follower.Outlets, outlet.NewHistograms("log of histograms", to))
	}
	if f.operations != "" {
		if f.samples < 1 || f.samples > mostSamples {
			return closed, fmt.Errorf("--operation-log-samples is %d: give 1 to %d", f.samples, mostSamples)
		}
		to, err := file(f.operations)
		if err != nil {
			return closed, err
		}
		of := outlet.Sampling{
			Name: "log of operations", Format: outlet.CSV, Most: f.samples, Seed: follower.Plan.Seed, Pod: follower.Pod,
		}
		if strings.HasSuffix(f.operations, ".ndjson") {
			of.Format = outlet.NDJSON
		}
		operations := outlet.NewOperations(of, to)
		follower.Outlets, follower.Sampler = append(follower.Outlets, operations), operations
	}
	pushes, err := f.pushes(follower, shown)
	follower.Outlets = append(follower.Outlets, pushes...)
	return closed, err
}

// pushes are those of --push.
func (f *outletFlags) pushes(follower *engine.Engine, shown *scraped) ([]loadgen.Outlet, error) {
	var all []loadgen.Outlet
	labels := map[string]string{"pod": strconv.Itoa(follower.Pod)}
	maps.Copy(labels, f.labels)
	for _, words := range f.push {
		receiver, err := readReceiver(words)
		if err != nil {
			return all, err
		}
		receiver.Labels = labels
		registry := prometheus.NewRegistry()
		registry.MustRegister(shown.figures(follower))
		push, err := outlet.NewPush(receiver, registry)
		if err != nil {
			return all, fmt.Errorf("--push: %w", err)
		}
		all = append(all, push)
	}
	return all, nil
}

// errPush is what a --push must be.
var errPush = errors.New("--push: give OTLP or RemoteWrite, a URL that begins with http:// or https:// and has no " +
	"user, how often, from 1s on, and a folder")

// readReceiver reads the words of a --push. What is wrong with it is not repeated: a URL may have secrets.
func readReceiver(words string) (outlet.Receiver, error) {
	given := strings.Fields(words)
	const most = 4
	if len(given) < 2 || len(given) > most {
		return outlet.Receiver{}, errPush
	}
	receiver := outlet.Receiver{Protocol: outlet.Protocol(given[0]), URL: given[1], Interval: usualPush}
	where, err := url.Parse(receiver.URL)
	if err != nil || where.User != nil || where.Host == "" || where.Scheme != "http" && where.Scheme != "https" {
		return outlet.Receiver{}, errPush
	}
	for _, more := range given[2:] {
		if interval, err := time.ParseDuration(more); err == nil && interval >= leastPush {
			receiver.Interval = interval
			continue
		}
		if err := readHeaders(&receiver, more); err != nil {
			return outlet.Receiver{}, fmt.Errorf("--push: %w", err)
		}
	}
	return receiver, nil
}

// readHeaders reads a folder, as a Secret is mounted, in which every file is a header but for that of the CA.
func readHeaders(into *outlet.Receiver, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("reading the folder of headers: %w", err)
	}
	into.Headers = http.Header{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue // Kubernetes keeps its own there.
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return fmt.Errorf("reading the folder of headers: %w", err)
		}
		if entry.Name() == naming.CAKey {
			into.CA = content
			continue
		}
		into.Headers.Set(entry.Name(), strings.TrimSpace(string(content)))
	}
	return nil
}

// makeLog makes the file of a pod, and the folders that it is in.
func makeLog(name string, pod int) (*os.File, error) {
	name = strings.ReplaceAll(name, "{pod}", strconv.Itoa(pod))
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return nil, fmt.Errorf("making the folder of a log: %w", err)
	}
	const ofGroup = 0o640
	//nolint:gosec // On a volume it is read by pods of other users, which are of the volume's group.
	made, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, ofGroup)
	if err != nil {
		return nil, fmt.Errorf("making a log: %w", err)
	}
	return made, nil
}
