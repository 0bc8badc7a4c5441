package kube

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// serve answers requests for ConfigMaps as the handler says; faults that a real API server shows only rarely are what
// these tests are about. The scenarios on a real cluster are in hack/e2e.
func serve(t *testing.T, handler http.HandlerFunc) *ConfigMaps {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	configMaps, err := For(&rest.Config{Host: server.URL}, "bench")
	if err != nil {
		t.Fatal(err)
	}
	return configMaps
}

func answer(t *testing.T, w http.ResponseWriter, code int, object any) {
	t.Helper()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(object); err != nil {
		t.Error(err)
	}
}

func failure(reason metav1.StatusReason, code int32) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Reason: reason, Code: code, Message: string(reason),
	}
}

// checkError checks that an error holds a text, or that there is none where the text is empty.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func TestReportOutlivesARestartOfTheAPIServer(t *testing.T) {
	refusals := []struct {
		reason metav1.StatusReason
		code   int32
	}{
		{metav1.StatusReasonServiceUnavailable, 503},
		{metav1.StatusReasonForbidden, 403}, // Of a role binding that the authorizer has not heard of yet.
	}
	var calls atomic.Int32
	var body []byte
	configMaps := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if call := int(calls.Add(1)); call <= len(refusals) {
			refusal := refusals[call-1]
			answer(t, w, int(refusal.code), failure(refusal.reason, refusal.code))
			return
		}
		body, _ = io.ReadAll(r.Body)
		answer(t, w, 200, corev1.ConfigMap{})
	})
	want := reportv1.Report{Version: reportv1.Version, PlanHash: "abc", Pods: 1}
	reporter := Reporter{ConfigMaps: configMaps, Name: "run-pod-0"}
	if err := reporter.Report(context.Background(), want); err != nil {
		t.Fatal(err)
	}
	var patch contents
	if err := json.Unmarshal(body, &patch); err != nil {
		t.Fatal(err)
	}
	got, err := reportv1.Decode(patch.BinaryData[reportv1.ReportKey])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestReportGivesUpWhereNothingCanHelp(t *testing.T) {
	var calls atomic.Int32
	configMaps := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		answer(t, w, 404, failure(metav1.StatusReasonNotFound, 404))
	})
	reporter := Reporter{ConfigMaps: configMaps, Name: "run-pod-0"}
	err := reporter.Report(context.Background(), reportv1.Report{Version: reportv1.Version, Pods: 1})
	if err == nil || !strings.Contains(err.Error(), "run-pod-0") {
		t.Errorf("error %v, want one that names the ConfigMap", err)
	}
	if got := calls.Load(); got != 1 {
		t.Errorf("%d calls, want 1", got)
	}
}

// TestProgressThatOthersWaitForIsRepeated fails the first request of each state: one that a busy API server did not
// answer must not end a run.
func TestProgressThatOthersWaitForIsRepeated(t *testing.T) {
	for state, want := range map[reportv1.ProgressState]int32{
		reportv1.ProgressWaiting: 2, reportv1.ProgressDone: 2, reportv1.ProgressStopped: 2,
		reportv1.ProgressRunning: 1,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			configMaps := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					answer(t, w, 504, failure(metav1.StatusReasonTimeout, 504))
					return
				}
				answer(t, w, 200, corev1.ConfigMap{})
			})
			reporter := Reporter{ConfigMaps: configMaps, Name: "run-pod-0"}
			err := reporter.Progress(t.Context(), reportv1.Progress{State: state})
			if failed := err != nil; failed != (want == 1) {
				t.Errorf("error %v", err)
			}
			if got := calls.Load(); got != want {
				t.Errorf("%d calls, want %d", got, want)
			}
		})
	}
}

func TestARefusalThatLastsIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := persist(t.Context(), func(context.Context) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "run-pod-0", nil)
		})
		if !apierrors.IsForbidden(err) {
			t.Errorf("error %v, want the refusal", err)
		}
		if took := time.Since(began); took != authorizerLag {
			t.Errorf("it was given up after %s, want %s", took, authorizerLag)
		}
	})
}

func TestProgressIsAPatchOfOneKey(t *testing.T) {
	var got, contentType string
	configMaps := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, contentType = string(body), r.Header.Get("Content-Type")
		answer(t, w, 200, corev1.ConfigMap{})
	})
	reporter := Reporter{ConfigMaps: configMaps, Name: "run-pod-0"}
	progress := reportv1.Progress{Step: 2, State: reportv1.ProgressWaiting}
	if err := reporter.Progress(context.Background(), progress); err != nil {
		t.Fatal(err)
	}
	want := `{"data":{"progress":"{\"step\":2,\"state\":\"Waiting\",\"percent\":0,\"operationsPerSecond\":0}"}}`
	if got != want || contentType != "application/merge-patch+json" {
		t.Errorf("patch %s as %s, want %s", got, contentType, want)
	}
}
