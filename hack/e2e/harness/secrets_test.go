package harness

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestUnzipLooksIntoWhatIsCompressedAndLeavesTheRest(t *testing.T) {
	if got := unzip(zipped(t, "inside")); got != "inside" {
		t.Errorf("got %q, want %q", got, "inside")
	}
	if got := unzip([]byte("plain")); got != "plain" {
		t.Errorf("got %q, want %q", got, "plain")
	}
}

func zipped(t *testing.T, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestNamesAndCertificatesAreNoSecrets(t *testing.T) {
	got := valuesOf([]corev1.Secret{{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string][]byte{
		"username": []byte("mongobench"), "password": []byte("long enough"), "tls.crt": []byte("certificate"),
		"ca.crt": []byte("authority"), "tls.key": []byte("private key"), "short": []byte("short"),
	}}})
	want := map[string]string{"a/password": "long enough", "a/tls.key": "private key"}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

func TestEveryKindButSecretsIsLookedInto(t *testing.T) {
	list := metav1.Verbs{"get", "list"}
	got := listable(schema.GroupVersion{Version: "v1"}, []metav1.APIResource{
		{Kind: "Secret", Verbs: list}, {Kind: "Pod", Verbs: list}, {Kind: "Binding", Verbs: metav1.Verbs{"create"}},
	})
	got = append(got, listable(schema.GroupVersion{Group: "other", Version: "v1"}, []metav1.APIResource{
		{Kind: "Secret", Verbs: list},
	})...)
	want := []schema.GroupVersionKind{
		{Version: "v1", Kind: "Pod"}, {Group: "other", Version: "v1", Kind: "Secret"},
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

func TestWhatAReportHoldsIsUnpacked(t *testing.T) {
	texts := map[string]string{}
	err := addText(texts, &unstructured.Unstructured{Object: map[string]any{
		"kind": "ConfigMap", "metadata": map[string]any{"name": "report"},
		"binaryData": map[string]any{"report": base64.StdEncoding.EncodeToString(zipped(t, "the whole"))},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if texts["ConfigMap report/report"] != "the whole" || texts["ConfigMap report"] == "" {
		t.Errorf("got %v", texts)
	}
}

func TestArgumentsAndEnvironmentOfProcessesAreLookedInto(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"12/cmdline": "mongod\x00--port\x0027017\x00", "12/environ": "PASSWORD=long enough\x00", "self/environ": "again",
		"13/cmdline": "",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{}
	addProcesses(texts, folder)
	want := map[string]string{
		filepath.Join(folder, "12/cmdline"): "mongod --port 27017 ",
		filepath.Join(folder, "12/environ"): "PASSWORD=long enough ",
	}
	if difference := cmp.Diff(want, texts); difference != "" {
		t.Error(difference)
	}
	leaks := Leaks(texts, map[string]string{"a/password": "long enough"})
	if !slices.Equal(leaks, []string{"a/password stands in " + filepath.Join(folder, "12/environ")}) {
		t.Errorf("leaks %v", leaks)
	}
}
