package kube

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// store keeps ConfigMaps, which may be patched, read and watched.
type store struct {
	mutex   sync.Mutex
	version int
	held    map[string]*corev1.ConfigMap
	// changed is closed and replaced at each change.
	changed chan struct{}
}

func newStore(names ...string) *store {
	s := &store{held: map[string]*corev1.ConfigMap{}, changed: make(chan struct{})}
	for _, name := range names {
		s.held[name] = &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Name: name}, BinaryData: map[string][]byte{},
		}
	}
	return s
}

func (s *store) serve(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		if name, one := strings.CutPrefix(r.URL.Path, watchPath+"/"); one {
			if r.Method == http.MethodPatch {
				s.patch(t, name, r)
			}
			answer(t, w, http.StatusOK, s.get(name))
			return
		}
		name := strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
		s.watch(t, w, r, name)
	}
}

func (s *store) get(name string) corev1.ConfigMap {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return *s.held[name].DeepCopy()
}

// patch sets the binary data of a patch, and removes what is null in it.
func (s *store) patch(t *testing.T, name string, r *http.Request) {
	t.Helper()
	var patch struct {
		BinaryData map[string]*string `json:"binaryData"`
	}
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		t.Error(err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version++
	configMap := s.held[name]
	configMap.ResourceVersion = strconv.Itoa(s.version)
	for key, value := range patch.BinaryData {
		delete(configMap.BinaryData, key)
		if value != nil {
			decoded, err := base64.StdEncoding.DecodeString(*value)
			if err != nil {
				t.Error(err)
			}
			configMap.BinaryData[key] = decoded
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// watch tells of every change after a version.
func (s *store) watch(t *testing.T, w http.ResponseWriter, r *http.Request, name string) {
	t.Helper()
	seen := r.URL.Query().Get("resourceVersion")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for {
		s.mutex.Lock()
		changed := s.changed
		s.mutex.Unlock()
		if now := s.get(name); now.ResourceVersion != seen {
			seen = now.ResourceVersion
			_ = json.NewEncoder(w).Encode(map[string]any{"type": "MODIFIED", "object": now})
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// Two pods go through two trials: each hears what the other says, and nothing of what was said before.
func TestPodsTellEachOtherOfTrials(t *testing.T) {
	t.Parallel()
	kept := newStore("run-pod-0", "run-pod-1")
	configMaps := serve(t, kept.serve(t))
	first := &Trials{ConfigMaps: configMaps, PodPrefix: "run-pod-"}
	second := &Trials{ConfigMaps: configMaps, PodPrefix: "run-pod-", Pod: 1}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var following sync.WaitGroup
	following.Go(func() { follow(ctx, t, second, kept) })
	for number := 1; number <= 2; number++ {
		order := reportv1.TrialOrder{
			Step: 4, Number: number, Rate: int64(100 * number), Start: time.Unix(1_700_000_000, 42).UTC(), Used: 7,
		}
		if err := first.Order(ctx, order); err != nil {
			t.Fatal(err)
		}
		got, err := first.Answered(ctx, 1, order)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answerTo(order), got); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	}
	if err := first.Order(ctx, reportv1.TrialOrder{Step: 4, Number: 3, Over: true, Failed: "no more"}); err != nil {
		t.Fatal(err)
	}
	following.Wait()
}

// answerTo is what the second pod says of an order.
func answerTo(order reportv1.TrialOrder) reportv1.TrialAnswer {
	return reportv1.TrialAnswer{
		Step: order.Step, Number: order.Number, InTime: []int64{order.Rate, 2},
		Measured: &reportv1.Step{Name: "s", Kind: reportv1.KindMeasure, Threads: order.Number},
	}
}

// follow answers two orders, and hears then that there is no other.
func follow(ctx context.Context, t *testing.T, trials *Trials, kept *store) {
	t.Helper()
	for number := range 2 {
		order, err := trials.Next(ctx, 4, number)
		if err == nil {
			err = trials.Answer(ctx, answerTo(order))
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
	order, err := trials.Next(ctx, 4, 2)
	if err != nil || !order.Over || order.Failed != "no more" {
		t.Errorf("the last order is %+v, %v", order, err)
	}
	if _, left := kept.get("run-pod-1").BinaryData[reportv1.TrialMeasuredKey]; left {
		t.Error("what was measured in a trial is left when the next one comes")
	}
	if err := trials.Answer(ctx, reportv1.TrialAnswer{Step: 4, Number: 3}); err != nil {
		t.Error(err)
	}
}

// What another pod wrote is not what a pod may rely on.
func TestWhatAPodCannotHaveSaidOfATrialIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		key     string
		content []byte
	}{
		"an order that is none":       {reportv1.TrialOrderKey, []byte("tomorrow")},
		"an order that is too long":   {reportv1.TrialOrderKey, []byte(`{"failed":"` + strings.Repeat("x", 1<<16) + `"}`)},
		"an answer that is none":      {reportv1.TrialAnswerKey, []byte("[]")},
		"an answer without its times": {reportv1.TrialMeasuredKey, []byte("nothing")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := newStore("run-pod-0")
			kept.held["run-pod-0"].BinaryData = map[string][]byte{
				reportv1.TrialAnswerKey: []byte(`{"step":1,"number":1}`), tc.key: tc.content,
			}
			trials := &Trials{ConfigMaps: serve(t, kept.serve(t)), PodPrefix: "run-pod-"}
			var err error
			if tc.key == reportv1.TrialOrderKey {
				_, err = trials.Next(t.Context(), 1, 0)
			} else {
				_, err = trials.Answered(t.Context(), 0, reportv1.TrialOrder{Step: 1, Number: 1})
			}
			checkError(t, err, "trial")
		})
	}
}

func TestAnAnswerIsAwaitedUntilItsDeadline(t *testing.T) {
	t.Parallel()
	trials := &Trials{ConfigMaps: serve(t, newStore("run-pod-1").serve(t)), PodPrefix: "run-pod-"}
	silence := errors.New("it said nothing")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, silence)
	defer cancel()
	if _, err := trials.Answered(ctx, 1, reportv1.TrialOrder{Step: 1, Number: 1}); !errors.Is(err, silence) {
		t.Errorf("error %v, want %v", err, silence)
	}
}
