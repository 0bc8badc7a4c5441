package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// server is an API server and etcd, with the kinds of this repository, and what it noted of the manager.
type server struct {
	environment *envtest.Environment
	config      *rest.Config
	scheme      *runtime.Scheme
	audit       auditLog
	// kubeconfig is the file by which the manager reaches it.
	kubeconfig string
}

// startServer starts an empty API server that keeps its files in a folder, with these feature gates. stop ends it.
func startServer(assets, definitions, folder string, gates ...string) (*server, error) {
	ctrl.SetLogger(logr.Discard())
	policy := filepath.Join(folder, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, fmt.Errorf("writing the audit policy: %w", err)
	}
	s := &server{
		environment: &envtest.Environment{
			CRDDirectoryPaths: []string{definitions}, ErrorIfCRDPathMissing: true, BinaryAssetsDirectory: assets,
			ControlPlaneStartTimeout: startPatience,
		},
		audit:      auditLog{path: filepath.Join(folder, "audit.log")},
		kubeconfig: filepath.Join(folder, "kubeconfig"),
		scheme:     testenv.Scheme(),
	}
	s.environment.ControlPlane.GetAPIServer().Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", s.audit.path).
		Set("audit-log-mode", "batch"). // No request waits for its own line.
		Set("audit-log-maxsize", "10000")
	if len(gates) > 0 {
		s.environment.ControlPlane.GetAPIServer().Configure().Set("feature-gates", gates...)
	}
	if err := s.start(); err != nil {
		s.stop()
		return nil, fmt.Errorf("starting the API server of %s (make test fetches it): %w", assets, err)
	}
	// The node is not what is measured; nothing is gained by holding it back.
	s.config.QPS, s.config.Burst = -1, -1
	if err := s.prepare(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// garbagePercent of what the API server uses may be garbage: its collector shares the processors with the manager here,
// which it does not in a cluster.
const garbagePercent = "400"

func (s *server) start() error {
	if err := os.Setenv("GOGC", garbagePercent); err != nil { // The only way to it: the processes get what we have.
		return err
	}
	var err error
	s.config, err = s.environment.Start()
	return errors.Join(err, os.Unsetenv("GOGC"))
}

func (s *server) prepare() error {
	user, err := s.environment.AddUser(envtest.User{Name: managerUser, Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return fmt.Errorf("making the manager's user: %w", err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return fmt.Errorf("making the manager's kubeconfig: %w", err)
	}
	return os.WriteFile(s.kubeconfig, kubeconfig, 0o600)
}

func (s *server) stop() { _ = s.environment.Stop() }

const (
	// startPatience is how long the API server may take to start, and the manager to fill its cache, and endPatience how
	// long the manager may take to end.
	startPatience = 2 * time.Minute
	endPatience   = 15 * time.Second
	poll          = 100 * time.Millisecond
)

// manager is the running program.
type manager struct {
	*process.Process

	address string
}

// startManager starts the program, and returns when it has seen the cluster.
func startManager(ctx context.Context, program, kubeconfig string, environment ...string) (*manager, error) {
	addresses, err := process.FreeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	started, err := process.Start("the manager", process.Command{
		Path: program,
		Arguments: []string{
			"--loadgen-image=example.com/loadgen:1",
			"--metrics-bind-address=" + addresses[0], "--health-probe-bind-address=" + addresses[1],
		},
		Environment: append(environment, "KUBECONFIG="+kubeconfig),
	})
	if err != nil {
		return nil, err
	}
	err = await(ctx, startPatience, "the manager to be ready", func() (bool, error) {
		_, err := process.Get(ctx, "http://"+addresses[1]+"/readyz", "text/plain")
		return err == nil, started.Ended()
	})
	if err != nil {
		started.Stop(endPatience)
		return nil, err
	}
	return &manager{Process: started, address: addresses[0]}, nil
}

func (m *manager) stop() { m.Stop(endPatience) }

func (m *manager) metrics(ctx context.Context) (metrics, error) {
	text, err := process.Get(ctx, "http://"+m.address+"/metrics", "text/plain")
	if err != nil {
		return nil, fmt.Errorf("asking the manager for its metrics: %w", cmp.Or(m.Ended(), err))
	}
	return parseMetrics(text)
}

// await looks again and again until something is so.
func await(ctx context.Context, patience time.Duration, what string, is func() (bool, error)) error {
	return awaitEvery(ctx, poll, patience, what, is)
}

// awaitEvery looks as often as it is told.
func awaitEvery(ctx context.Context, every, patience time.Duration, what string, is func() (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, every, patience, true, func(context.Context) (bool, error) { return is() })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("waited %s for %s", patience, what)
	}
	return err
}

// managerUser is who the manager is to the API server, so that its audit log tells its writes from ours.
const managerUser = "mongobench-manager"

// auditPolicy has every write of the manager in the log, once, when it was answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [` + managerUser + `]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// Write is a way to write: a verb and what it was done to, for example "update benchmarkruns/status".
type Write struct {
	Verb, Resource string
}

// Writes counts ways to write.
type Writes map[Write]int

// Count is how many writes changed something, and how many were events, which tell people and change nothing.
func (w Writes) Count() (objects, events int) {
	for write, count := range w {
		if write.Resource == "events" {
			events += count
		} else {
			objects += count
		}
	}
	return objects, events
}

func (w Writes) since(before Writes) Writes {
	added := Writes{}
	for write, count := range w {
		if count > before[write] {
			added[write] = count - before[write]
		}
	}
	return added
}

// auditLog is read on from where the last look ended.
type auditLog struct {
	path            string
	offset          int64
	writes, refused Writes
}

// look reads what came to the log since, and returns all writes so far, and those of them that were refused.
func (l *auditLog) look() (writes, refused Writes, err error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	added, err := io.ReadAll(io.NewSectionReader(file, l.offset, 1<<40))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the audit log: %w", err)
	}
	added = added[:bytes.LastIndexByte(added, '\n')+1] // The last line may not be whole yet.
	l.offset += int64(len(added))
	if l.writes == nil {
		l.writes, l.refused = Writes{}, Writes{}
	}
	for line := range bytes.Lines(added) {
		event := auditv1.Event{ObjectRef: &auditv1.ObjectReference{}, ResponseStatus: &metav1.Status{}}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, nil, fmt.Errorf("reading a line of the audit log: %w", err)
		}
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		write := Write{Verb: event.Verb, Resource: resource}
		l.writes[write]++
		if event.ResponseStatus.Code >= http.StatusBadRequest {
			l.refused[write]++
		}
	}
	return maps.Clone(l.writes), maps.Clone(l.refused), nil
}

// metrics are what a program says on /metrics, by name.
type metrics map[string]*dto.MetricFamily

func parseMetrics(text string) (metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	return found, nil
}

// sum adds up what has a name, whatever its labels.
func (m metrics) sum(name string) float64 {
	var sum float64
	for _, one := range m[name].GetMetric() {
		sum += one.GetCounter().GetValue() + one.GetGauge().GetValue() + one.GetUntyped().GetValue()
	}
	return sum
}

// Histogram is one of Prometheus: how many values lie at or below each bound. Its last bound is infinite.
type Histogram []Bucket

// Bucket is one bound of a Histogram.
type Bucket struct {
	UpTo  float64
	Count float64
}

// histogram adds up the histograms of a name, whatever their other labels.
func (m metrics) histogram(name string) Histogram {
	counts := map[float64]float64{}
	for _, one := range m[name].GetMetric() {
		for _, bucket := range one.GetHistogram().GetBucket() {
			counts[bucket.GetUpperBound()] += float64(bucket.GetCumulativeCount())
		}
	}
	h := make(Histogram, 0, len(counts))
	for _, upTo := range slices.Sorted(maps.Keys(counts)) {
		h = append(h, Bucket{UpTo: upTo, Count: counts[upTo]})
	}
	return h
}

// since is what came to a histogram after an earlier look at it.
func (h Histogram) since(before Histogram) Histogram {
	was := map[float64]float64{}
	for _, b := range before {
		was[b.UpTo] = b.Count
	}
	added := slices.Clone(h)
	for i := range added {
		added[i].Count -= was[added[i].UpTo]
	}
	return added
}

// Total is the number of values.
func (h Histogram) Total() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].Count
}

// Quantile is the value below which a share of the values lies, as if those of a bucket lay evenly in it. NaN of none;
// the last finite bound when it lies above that.
func (h Histogram) Quantile(share float64) float64 {
	if h.Total() == 0 {
		return math.NaN()
	}
	rank := share * h.Total()
	at := slices.IndexFunc(h, func(b Bucket) bool { return b.Count >= rank })
	var below Bucket
	if at > 0 {
		below = h[at-1]
	}
	if math.IsInf(h[at].UpTo, 1) {
		return below.UpTo
	}
	return below.UpTo + (h[at].UpTo-below.UpTo)*(rank-below.Count)/(h[at].Count-below.Count)
}
