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
	got := listable([]*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Kind: "Secret", Verbs: list}, {Kind: "Pod", Verbs: list}, {Kind: "Binding", Verbs: metav1.Verbs{"create"}},
		}},
		{GroupVersion: "other/v1", APIResources: []metav1.APIResource{{Kind: "Secret", Verbs: list}}},
	})
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

func TestLeaks(t *testing.T) {
	const password = "s3cret\"word+42"
	inBase64 := base64.StdEncoding.EncodeToString([]byte(password))
	leak := []string{"admin/password stands in a pod"}
	cases := map[string]struct {
		text string
		want []string
	}{
		"nothing stands there":       {text: "some other word", want: nil},
		"the secret itself":          {text: "user:" + password + "@host", want: leak},
		"the secret in base64":       {text: inBase64, want: leak},
		"the secret within JSON":     {text: `{"value":"s3cret\"word+42"}`, want: leak},
		"a secret that is cut short": {text: password[:len(password)-2], want: nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Leaks(map[string]string{"a pod": tc.text}, map[string]string{"admin/password": password})
			if difference := cmp.Diff(tc.want, got); difference != "" {
				t.Error(difference)
			}
		})
	}
}

func TestASecretIsFoundWithItsFinalNewlineOrWithout(t *testing.T) {
	got := Leaks(map[string]string{"log": "the key is abcdefghij"}, map[string]string{"keyfile": "abcdefghij\n"})
	if len(got) != 1 {
		t.Errorf("got %v, want one leak", got)
	}
}

func TestOneLineOfAPrivateKeyIsALeak(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\nAgEGCCqGSM49AwEHBG0w\n-----END PRIVATE KEY-----\n"
	for text, want := range map[string]int{
		"AgEGCCqGSM49AwEHBG0w": 1, `"MIGHAgEAMBMGByqGSM49\nAgEG"`: 1, "-----BEGIN PRIVATE KEY-----": 0,
	} {
		if got := Leaks(map[string]string{"log": text}, map[string]string{"tls/tls.key": key}); len(got) != want {
			t.Errorf("in %q: got %v, want %d leaks", text, got, want)
		}
	}
}
