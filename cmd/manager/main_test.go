package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
)

func TestParse(t *testing.T) {
	defaults := options{
		settings: controllers.Settings{
			LoadgenImage: "loadgen:1", MaxConcurrentReconciles: 2, RunsPerNodePool: 1,
			Platform: controllers.PlatformKubernetes,
			ImageRepositories: map[benchv1alpha1.Product]string{
				benchv1alpha1.ProductMongoDB: "docker.io/library/mongo", benchv1alpha1.ProductMariaDB: "docker.io/library/mariadb",
				benchv1alpha1.ProductFerretDB: "ghcr.io/mongobench/ferretdb",
			},
		},
		metrics: ":8080", probes: ":8081", results: 200,
	}
	for name, tc := range map[string]struct {
		arguments string
		change    func(*options)
	}{
		"the least that must be said": {"--loadgen-image=loadgen:1", func(*options) {}},
		"namespaces, in any order and twice": {
			"--loadgen-image=loadgen:1 --namespaces=b,a,,b", func(o *options) { o.settings.Namespaces = []string{"a", "b"} },
		},
		"experimental features": {
			"--loadgen-image=loadgen:1 --feature-gates=FerretDB=false,HandlerSocket=true", func(o *options) {
				o.settings.Gates = controllers.Gates{"FerretDB": false, "HandlerSocket": true}
			},
		},
		"no namespaces": {"--loadgen-image=loadgen:1 --namespaces=", func(o *options) { o.settings.Namespaces = []string{} }},
		"what the chart says": {
			"--leader-elect --loadgen-image=loadgen:1 --mongod-image-repository=example.com/mongo " +
				"--mariadb-image-repository=example.com/mariadb " +
				"--metrics-bind-address=:9090 --health-probe-bind-address=:9091 --log-level=debug --runs-per-node-pool=0 " +
				"--metrics-results=0 --metrics-secure --metrics-cert-dir=/certs --max-concurrent-reconciles=4",
			func(o *options) {
				o.leaderElect = true
				o.settings.ImageRepositories = map[benchv1alpha1.Product]string{
					benchv1alpha1.ProductMongoDB: "example.com/mongo", benchv1alpha1.ProductMariaDB: "example.com/mariadb",
					benchv1alpha1.ProductFerretDB: "ghcr.io/mongobench/ferretdb",
				}
				o.metrics, o.probes, o.logLevel = ":9090", ":9091", slog.LevelDebug
				o.settings.RunsPerNodePool, o.results = 0, 0
				o.metricsSecure, o.metricsCertDir, o.settings.MaxConcurrentReconciles = true, "/certs", 4
			},
		},
		"what all pods are given": {
			`--loadgen-image=loadgen:1 --platform=OpenShift ` +
				`--pod-defaults={"nodeSelector":{"pool":"bench"},"imagePullSecrets":[{"name":"registry"}]}`,
			func(o *options) {
				o.settings.Platform = controllers.PlatformOpenShift
				o.settings.PodDefaults = benchv1alpha1.PodSettings{
					NodeSelector:     map[string]string{"pool": "bench"},
					ImagePullSecrets: []benchv1alpha1.PullSecret{{Name: "registry"}},
				}
			},
		},
		"in a cluster of IPv6": {
			"--loadgen-image=loadgen:1 --api-server-ports=443,6443 --ipv6", func(o *options) {
				o.settings.IPv6, o.settings.APIServerPorts = true, []int32{443, 6443}
			},
		},
		"prices": {"--loadgen-image=loadgen:1 --price-list=mongobench/prices", func(o *options) {
			o.settings.PriceList.Namespace, o.settings.PriceList.Name = "mongobench", "prices"
		}},
		"only the version": {"--version", func(o *options) { o.version, o.settings.LoadgenImage = true, "" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaults
			tc.change(&want)
			got, err := parse(strings.Fields(tc.arguments), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServersListenOnIPv6WhereTheClusterIsOne(t *testing.T) {
	for host, want := range map[string]bool{"fd00:10:96::1": true, "10.96.0.1": false, "": false} {
		t.Setenv("KUBERNETES_SERVICE_HOST", host)
		got, err := parse([]string{"--loadgen-image=loadgen:1"}, io.Discard)
		if err != nil || got.settings.IPv6 != want {
			t.Errorf("%q: %t, error %v", host, got.settings.IPv6, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for arguments, want := range map[string]string{
		"":                                   "--loadgen-image is required",
		"--loadgen-image=l --log-level=loud": "loud",
		"--loadgen-image=l --unknown":        "unknown",
		"--loadgen-image=l --runs-per-node-pool=-1":                               "0 or more",
		"--loadgen-image=l --metrics-results=-1":                                  "0 or more",
		"--loadgen-image=l more":                                                  `unknown argument "more"`,
		"--loadgen-image=l --leader-elect=maybe":                                  "maybe",
		"--loadgen-image=l --api-server-ports=443,https":                          `"https" is no port`,
		"--loadgen-image=l --price-list=prices":                                   `"prices" is not NAMESPACE/NAME`,
		"--loadgen-image=l --platform=Nomad":                                      "must be one of [Kubernetes OpenShift]",
		"--loadgen-image=l --pod-defaults={":                                      "reading the settings",
		`--loadgen-image=l --pod-defaults={"nodeselector":{"a":"b"}}`:             `unknown field "nodeselector"`,
		`--loadgen-image=l --pod-defaults={"labels":{"mongobench.dev/run":"a"}}`:  "pod-defaults.labels[mongobench.dev/run]",
		`--loadgen-image=l --pod-defaults={"tolerations":[{"operator":"Exist"}]}`: "pod-defaults.tolerations[0].operator",
		"--loadgen-image=l --feature-gates=Warp=true":                             "there are FerretDB=true, Hand",
		"--loadgen-image=l --metrics-cert-dir=/c":                                 "--metrics-secure",
	} {
		var said bytes.Buffer
		if _, err := parse(strings.Fields(arguments), &said); err == nil || !strings.Contains(said.String(), want) {
			t.Errorf("%q: error %v, said %q", arguments, err, said.String())
		}
	}
}

func TestVersionNeedsNoCluster(t *testing.T) {
	if code := execute([]string{"--version"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestManagerServesItsStateAndEndsWhenItIsTold(t *testing.T) {
	config := startServer(t)
	haveMeasured(t, config)
	flags, err := parse([]string{
		"--loadgen-image=loadgen:1",
		"--metrics-bind-address=" + freeAddress(t), "--health-probe-bind-address=" + freeAddress(t),
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- runManager(ctx, config, flags) }()

	g := gomega.NewWithT(t)
	for _, url := range []string{flags.probes + "/healthz", flags.probes + "/readyz"} {
		g.Eventually(func() string { return get(t, "http://"+url) }, "3m", "100ms").Should(gomega.ContainSubstring("ok"))
	}
	g.Eventually(func() string { return get(t, "http://"+flags.metrics+"/metrics") }, "3m", "100ms").
		Should(gomega.And(gomega.ContainSubstring("controller_runtime_active_workers"),
			gomega.ContainSubstring("mongobench_results_scrape_success 1"), gomega.ContainSubstring(measuredSeries)))
	cancel()
	g.Eventually(done, "30s").Should(gomega.Receive(gomega.BeNil()))
}

func startServer(t *testing.T) *rest.Config {
	t.Helper()
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		home, _ := os.UserHomeDir()
		assets = filepath.Join(home, ".cache", "mongobench", "kubernetes", "v1.36.3", "bin")
	}
	server := &envtest.Environment{
		CRDDirectoryPaths: []string{"../../config/crd"}, ErrorIfCRDPathMissing: true, BinaryAssetsDirectory: assets,
	}
	config, err := server.Start()
	if err != nil {
		t.Fatalf("starting the API server: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("stopping the API server: %v", err)
		}
	})
	return config
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// get is the body that an address answers with, or the error.
func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}
