package v1alpha1_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// kubernetesVersion is the one that hack/cluster builds.
const kubernetesVersion = "v1.36.3"

// server is a client of the API server that these tests share. It refuses fields that the schema does not have.
var server client.Client

// TestMain starts an API server with the kinds of this package. That it starts is a test by itself: the server refuses
// a definition whose rules could cost too much.
func TestMain(m *testing.M) {
	os.Exit(runWithServer(m))
}

func runWithServer(m *testing.M) int {
	ctrl.SetLogger(logr.Discard())
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd")},
		ErrorIfCRDPathMissing: true,
		BinaryAssetsDirectory: assets(),
	}
	config, err := environment.Start()
	if err != nil {
		fmt.Fprintf(os.Stderr, "starting the API server of %s (`go -C hack/cluster run . build` builds it): %v\n",
			assets(), err)
		return 1
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the API server:", err)
		}
	}()
	config.QPS, config.Burst = -1, -1
	plain, err := client.New(config, client.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a client:", err)
		return 1
	}
	server = client.WithFieldValidation(plain, metav1.FieldValidationStrict)
	return m.Run()
}

// assets is the folder with the programs etcd and kube-apiserver.
func assets() string {
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" {
		return folder
	}
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, ".cache", "mongobench")
	}
	return filepath.Join(cache, "kubernetes", kubernetesVersion, "bin")
}

// changes say, for places of an object such as "spec.dataset.collections.0.name", which YAML to put there; an empty
// text removes the field. A place is changed after those that it is in.
type changes map[string]string

// object reads testdata/KIND.yaml and changes it.
func object(t *testing.T, kind string, changed changes) *unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", kind+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	made := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &made.Object); err != nil {
		t.Fatal(err)
	}
	applyChanges(t, made.Object, changed)
	return made
}

func applyChanges(t *testing.T, content map[string]any, changed changes) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		text := changed[path]
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		put(t, content, strings.Split(path, "."), value)
	}
}

// put sets one place; maps on the way to it are made.
func put(t *testing.T, at any, path []string, value any) {
	t.Helper()
	switch at := at.(type) {
	case []any:
		index, err := strconv.Atoi(path[0])
		if err != nil || index >= len(at) {
			t.Fatalf("no item %s in a list of %d", path[0], len(at))
		}
		if len(path) == 1 {
			at[index] = value
			return
		}
		put(t, at[index], path[1:], value)
	case map[string]any:
		if len(path) > 1 {
			if at[path[0]] == nil {
				at[path[0]] = map[string]any{}
			}
			put(t, at[path[0]], path[1:], value)
			return
		}
		if value == nil {
			delete(at, path[0])
			return
		}
		at[path[0]] = value
	default:
		t.Fatalf("%v lies within %T", path, at)
	}
}

// create asks the server to create an object and keeps nothing of it.
func create(t *testing.T, made *unstructured.Unstructured) error {
	t.Helper()
	return server.Create(t.Context(), made, client.DryRunAll)
}

// wantRefusal checks that the server called the object invalid, for the reason that is wanted.
func wantRefusal(t *testing.T, err error, message string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("accepted, want it refused with %q", message)
	case !apierrors.IsInvalid(err):
		t.Errorf("got error %v, want the object called invalid", err)
	case !strings.Contains(err.Error(), message):
		t.Errorf("refused with %v, want %q", err, message)
	}
}

func TestBasesAreAccepted(t *testing.T) {
	for _, kind := range []string{"run", "target", "suite"} {
		if err := create(t, object(t, kind, nil)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
