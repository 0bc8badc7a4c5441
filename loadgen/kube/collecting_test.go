package kube

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// shelf is what an API server was given, by the name of the ConfigMap; it refuses as long as a function says so.
type shelf struct {
	sync.Mutex
	refuse func(name string) *metav1.Status
	data   map[string]map[string]string
	binary map[string]map[string][]byte
}

func newShelf(t *testing.T) (*shelf, *Reports) {
	t.Helper()
	s := &shelf{data: map[string]map[string]string{}, binary: map[string]map[string][]byte{}}
	configMaps := serve(t, func(w http.ResponseWriter, r *http.Request) {
		s.Lock()
		defer s.Unlock()
		name := path.Base(r.URL.Path)
		if s.refuse != nil {
			if status := s.refuse(name); status != nil {
				answer(t, w, int(status.Code), status)
				return
			}
		}
		var set contents
		if err := json.NewDecoder(r.Body).Decode(&set); err != nil {
			t.Error(err)
		}
		s.merge(name, set)
		answer(t, w, http.StatusOK, corev1.ConfigMap{})
	})
	return s, &Reports{
		ConfigMaps: configMaps, PodPrefix: "r-pod-", Merged: "r-report", Collected: "r-collected",
		Log: slog.New(slog.DiscardHandler),
	}
}

// merge does what a merge patch does.
func (s *shelf) merge(name string, set contents) {
	if s.data[name] == nil {
		s.data[name] = map[string]string{}
	}
	for key, value := range set.Data {
		if value == nil {
			delete(s.data[name], key)
			continue
		}
		s.data[name][key] = *value
	}
	s.binary[name] = set.BinaryData
}

func (s *shelf) says(name, key string) string {
	s.Lock()
	defer s.Unlock()
	return s.data[name][key]
}

// TestAReportIsTriedUntilItIsStored: through a quota, and a place that somebody deleted; what keeps it is told.
func TestAReportIsTriedUntilItIsStored(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  metav1.StatusReason
		code    int32
		missing string
	}{
		"through a quota":              {metav1.StatusReasonForbidden, http.StatusForbidden, ""},
		"through a webhook that fails": {metav1.StatusReasonInternalError, http.StatusInternalServerError, ""},
		"through a place that is gone": {metav1.StatusReasonNotFound, http.StatusNotFound, "r-report"},
	} {
		t.Run(name, func(t *testing.T) {
			s, reports := newShelf(t)
			s.refuse = refuseThrice("r-report", failure(tc.reason, tc.code))
			stored, err := reports.Put(t.Context(), []byte("merged"))
			if err != nil || stored.ConfigMapName != "r-report" {
				t.Fatalf("got %+v, %v", stored, err)
			}
			if got := s.says("r-report", reportv1.DigestKey); got != result.Digest([]byte("merged")) {
				t.Errorf("the digest beside it is %q", got)
			}
			if s.says("r-collected", reportv1.TroubleKey) == "" {
				t.Error("nobody was told what kept it")
			}
			if got := s.says("r-collected", reportv1.MissingKey); got != tc.missing {
				t.Errorf("missing is %q, want %q", got, tc.missing)
			}
		})
	}
}

func TestTroubleIsTakenBackWithTheWordThatTheReportIsStored(t *testing.T) {
	s, reports := newShelf(t)
	s.refuse = refuseThrice("r-report", failure(metav1.StatusReasonNotFound, http.StatusNotFound))
	if _, err := reports.Put(t.Context(), []byte("merged")); err != nil {
		t.Fatal(err)
	}
	if s.says("r-collected", reportv1.TroubleKey) == "" || s.says("r-collected", reportv1.MissingKey) == "" {
		t.Fatal("there was no trouble")
	}
	if err := reports.Tell(t.Context(), []byte("told")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{reportv1.CollectedKey: "told"}, s.data["r-collected"]); diff != "" {
		t.Errorf("told in the end (-want +got):\n%s", diff)
	}
}

// refuseThrice refuses the first three writes of a ConfigMap.
func refuseThrice(refused string, status metav1.Status) func(string) *metav1.Status {
	attempts := 0
	return func(name string) *metav1.Status {
		if name != refused || attempts == 3 {
			return nil
		}
		attempts++
		return &status
	}
}

func TestAReportThatNoAttemptCanStoreIsAnError(t *testing.T) {
	s, reports := newShelf(t)
	s.refuse = func(string) *metav1.Status {
		status := failure(metav1.StatusReasonRequestEntityTooLarge, http.StatusRequestEntityTooLarge)
		return &status
	}
	if _, err := reports.Put(t.Context(), []byte("merged")); err == nil {
		t.Error("it was stored")
	}
}

// TestPausesBetweenAttemptsGrow: no API server is asked more than every ten seconds for long.
func TestPausesBetweenAttemptsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		attempts := 0
		over := errors.New("over")
		time.AfterFunc(10*time.Minute, func() { cancel(over) })
		troubles := 0
		err := insist(ctx, func() error { attempts++; return errors.New("refused") }, func(error) { troubles++ })
		if !errors.Is(err, over) {
			t.Errorf("got %v, want the end of the context", err)
		}
		if troubles != 1 {
			t.Errorf("the same trouble was told %d times", troubles)
		}
		if attempts < 60 || attempts > 70 {
			t.Errorf("%d attempts in ten minutes, want about one every ten seconds", attempts)
		}
	})
}
