package podfault_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

var now = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// backOff is a container that is about to be started once more.
var backOff = corev1.ContainerState{
	Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"},
}

func pod(change func(*corev1.Pod)) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")},
			},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	change(&p)
	return p
}

func inState(state corev1.ContainerState) corev1.Pod {
	return pod(func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: state}}
	})
}

func waiting(reason, message string) corev1.Pod {
	return inState(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}})
}

func inCondition(c corev1.PodCondition) corev1.Pod {
	return pod(func(p *corev1.Pod) { p.Status.Conditions = []corev1.PodCondition{c} })
}

func TestDiagnose(t *testing.T) {
	type fault = podfault.Fault
	for name, tc := range map[string]struct {
		pod  corev1.Pod
		want fault
	}{
		"a pod that runs":                {pod: pod(func(*corev1.Pod) {})},
		"a container that is being made": {pod: waiting("ContainerCreating", "")},
		"a pod that waits for its init container": {
			pod: waiting("PodInitializing", ""),
		},
		"a pod that succeeded": {pod: pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })},
		"no node takes the pod": {
			pod: inCondition(corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
				Message: "0/1 nodes are available:\n1 Insufficient cpu.",
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonUnschedulable, Message: "pod p: 0/1 nodes are available: 1 Insufficient cpu.",
			},
		},
		"the scheduler had an error, and tries again": {
			pod: inCondition(corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulerError,
				LastTransitionTime: metav1.NewTime(now.Add(-9 * time.Second)),
			}),
		},
		"the scheduler has had an error for a while": {
			pod: inCondition(corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulerError,
				LastTransitionTime: metav1.NewTime(now.Add(-time.Minute)), Message: "cannot bind",
			}),
			want: fault{Reason: benchv1alpha1.ReasonUnschedulable, Message: "pod p: cannot bind"},
		},
		"the pull failed": {
			pod:  waiting("ErrImagePull", "not found"),
			want: fault{Reason: benchv1alpha1.ReasonImagePull, Message: "pod p, container c: ErrImagePull: not found"},
		},
		"the image may not be pulled": {
			pod: waiting("ErrImageNeverPull", ""),
			want: fault{
				Reason: benchv1alpha1.ReasonImagePull, Message: "pod p, container c: ErrImageNeverPull", Terminal: true,
			},
		},
		"the image has no valid name": {
			pod: waiting("InvalidImageName", "couldn't parse"),
			want: fault{
				Reason:  benchv1alpha1.ReasonImagePull,
				Message: "pod p, container c: InvalidImageName: couldn't parse", Terminal: true,
			},
		},
		"a ConfigMap is missing": {
			pod: waiting("CreateContainerConfigError", `configmap "x" not found`),
			want: fault{
				Reason:  benchv1alpha1.ReasonConfigError,
				Message: `pod p, container c: CreateContainerConfigError: configmap "x" not found`,
			},
		},
		"the program is missing": {
			pod: waiting("RunContainerError", "exec: mongod: not found"),
			want: fault{
				Reason: benchv1alpha1.ReasonConfigError, Message: "pod p, container c: RunContainerError: exec: mongod: not found",
			},
		},
		"the container was killed for lack of memory": {
			pod: inState(corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137},
			}),
			want: fault{
				Reason:   benchv1alpha1.ReasonOOMKilled,
				Message:  "pod p, container c: killed for lack of memory: its limit is 512Mi; raise resources.memory",
				Terminal: true,
			},
		},
		"the container was killed for lack of memory and runs again": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{
					Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
					LastTerminationState: corev1.ContainerState{
						Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled"},
					},
				}}
			}),
			want: fault{
				Reason:   benchv1alpha1.ReasonOOMKilled,
				Message:  "pod p, container c: killed for lack of memory: its limit is 512Mi; raise resources.memory",
				Terminal: true,
			},
		},
		"the container ends over and over": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{
					Name:  "c",
					State: backOff,
					LastTerminationState: corev1.ContainerState{
						Terminated: &corev1.ContainerStateTerminated{ExitCode: 48},
					},
				}}
			}),
			want: fault{Reason: benchv1alpha1.ReasonCrashed, Message: "pod p, container c: exit code 48, over and over"},
		},
		"an init container ends over and over": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{{
					Name:  "i",
					State: backOff,
					LastTerminationState: corev1.ContainerState{
						Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: "loadgen: no such file\n"},
					},
				}}
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonCrashed, Message: "pod p, container i: loadgen: no such file, over and over",
			},
		},
		"the pod failed, and its container said why": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.Phase = corev1.PodFailed
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{
					Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: "it broke"},
				}}}
			}),
			want: fault{Reason: benchv1alpha1.ReasonCrashed, Message: "pod p, container c: it broke", Terminal: true},
		},
		"the pod failed by a signal": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.Phase = corev1.PodFailed
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{
					Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Signal: 9},
				}}}
			}),
			want: fault{Reason: benchv1alpha1.ReasonCrashed, Message: "pod p, container c: ended by signal 9", Terminal: true},
		},
		"the kubelet refused the pod": {
			pod: pod(func(p *corev1.Pod) {
				p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "UnexpectedAdmissionError", Message: "no device"}
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonCrashed, Message: "pod p: failed: UnexpectedAdmissionError no device", Terminal: true,
			},
		},
		"the pod was evicted": {
			pod: pod(func(p *corev1.Pod) {
				p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low on disk"}
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonNodeLost, Message: "pod p: evicted: low on disk", Terminal: true, Lost: true,
			},
		},
		"the pod is being drained": {
			pod: inCondition(corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "drain",
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonNodeLost, Message: "pod p: EvictionByEvictionAPI: drain", Terminal: true, Lost: true,
			},
		},
		"the node is silent": {
			pod: inCondition(corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionUnknown}),
			want: fault{
				Reason: benchv1alpha1.ReasonNodeLost, Message: "pod p: its node node-1 does not answer", Lost: true,
			},
		},
		"the node is silent, and its controller has said so on the pod": {
			pod: pod(targettest.NodeLost),
			want: fault{
				Reason: benchv1alpha1.ReasonNodeLost, Message: "pod p: its node node-1 does not answer", Lost: true,
			},
		},
		"the kubelet finds a container that is not ready": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{
					{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"},
					{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"},
				}
			}),
		},
		"the kubelet waits for a gate of somebody else's": {
			pod: pod(func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{
					{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ReadinessGatesNotReady"},
					{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
				}
			}),
		},
		"the node is silent, as controllers of earlier days say it": {
			pod: inCondition(corev1.PodCondition{
				Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "NodeStatusUnknown",
			}),
			want: fault{
				Reason: benchv1alpha1.ReasonNodeLost, Message: "pod p: its node node-1 does not answer", Lost: true,
			},
		},
		"the pod was deleted and ends in time": {
			pod: pod(func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(now.Add(-10 * time.Second))) }),
		},
		"the pod was deleted and does not end": {
			pod: pod(func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(now.Add(-31 * time.Second))) }),
			want: fault{
				Reason:  benchv1alpha1.ReasonNodeLost,
				Message: "pod p: it was deleted, and its node node-1 does not confirm that it ended", Lost: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := podfault.Diagnose([]corev1.Pod{tc.pod}, now)
			if diff := cmp.Diff(tc.want, got); diff != "" || found != (tc.want.Reason != "") {
				t.Errorf("fault found: %t (-want +got):\n%s", found, diff)
			}
		})
	}
}

func TestFaultThatStaysComesBeforeOneThatMayMend(t *testing.T) {
	a, b := waiting("ErrImagePull", ""), waiting("InvalidImageName", "")
	a.Name, b.Name = "a", "b"
	if fault, _ := podfault.Diagnose([]corev1.Pod{a, b}, now); !strings.HasPrefix(fault.Message, "pod b") {
		t.Errorf("fault %+v", fault)
	}
	b = waiting("ErrImagePull", "")
	b.Name = "b"
	if fault, _ := podfault.Diagnose([]corev1.Pod{b, a}, now); !strings.HasPrefix(fault.Message, "pod a") {
		t.Errorf("fault %+v", fault)
	}
}

func TestLongWordsAreCut(t *testing.T) {
	fault, _ := podfault.Diagnose([]corev1.Pod{waiting("ErrImagePull", strings.Repeat("x", 100_000))}, now)
	if len(fault.Message) > 2000 {
		t.Errorf("message of %d bytes", len(fault.Message))
	}
	log := "starting " + strings.Repeat("é note ", 1000) + "unknown variable"
	fault, _ = podfault.Diagnose([]corev1.Pod{waiting("ErrImagePull", log)}, now)
	if !strings.Contains(fault.Message, "starting") || !strings.HasSuffix(fault.Message, "unknown variable") ||
		!utf8.ValidString(fault.Message) {
		t.Errorf("neither the begin nor the end of a log is lost, but: %q", fault.Message)
	}
}

func TestOfALogTheErrorsAreTold(t *testing.T) {
	pod := waiting("CrashLoopBackOff", "")
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 1, Message: "0 [Note] Loading\n0 [ERROR] mariadbd: unknown variable 'a=1'\n0 [ERROR] Aborting\n",
	}
	fault, _ := podfault.Diagnose([]corev1.Pod{pod}, now)
	if !strings.Contains(fault.Message, ": 0 [ERROR] mariadbd: unknown variable 'a=1' 0 [ERROR] Aborting") {
		t.Errorf("message %q", fault.Message)
	}
}

func TestRestarted(t *testing.T) {
	for name, tc := range map[string]struct {
		ready bool
		code  int32
		want  string
	}{
		"started again after an error":    {code: 1, want: "pod p, container c: unknown option, and was started again"},
		"ready all the same":              {ready: true, code: 1},
		"started again after it was done": {code: 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := inState(corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
			p.Status.ContainerStatuses[0].Ready = tc.ready
			p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				ExitCode: tc.code, Message: "unknown option",
			}
			later := *p.DeepCopy()
			later.Name = "q"
			fault, ok := podfault.Restarted([]corev1.Pod{later, p})
			if ok != (tc.want != "") || fault.Message != tc.want || fault.Terminal {
				t.Errorf("got %+v, %t, want %q", fault, ok, tc.want)
			}
		})
	}
}

func TestDiagnoseEvents(t *testing.T) {
	at := func(after time.Duration, message string) corev1.Event {
		return corev1.Event{Message: message, LastTimestamp: metav1.NewTime(now.Add(after))}
	}
	for name, tc := range map[string]struct {
		events []corev1.Event
		want   string
	}{
		"none": {},
		"a quota": {
			events: []corev1.Event{at(0, `pods "p" is forbidden: exceeded quota: q, requested: cpu=2, used: cpu=1`)},
			want:   benchv1alpha1.ReasonQuotaExceeded,
		},
		"a quota that wants limits": {
			events: []corev1.Event{at(0, `pods "p" is forbidden: failed quota: q: must specify limits.cpu`)},
			want:   benchv1alpha1.ReasonQuotaExceeded,
		},
		"a LimitRange": {
			events: []corev1.Event{at(0, `pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2`)},
			want:   benchv1alpha1.ReasonQuotaExceeded,
		},
		"Pod Security": {
			events: []corev1.Event{at(0, `pods "p" is forbidden: violates PodSecurity "restricted:latest"`)},
			want:   benchv1alpha1.ReasonForbidden,
		},
		"the newest counts": {
			events: []corev1.Event{at(time.Minute, "denied by policy"), at(0, "exceeded quota: q")},
			want:   benchv1alpha1.ReasonForbidden,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := podfault.DiagnoseEvents(tc.events); got.Reason != tc.want {
				t.Errorf("fault %+v, want %s", got, tc.want)
			}
		})
	}
}

func TestTerminationMessage(t *testing.T) {
	said := inState(corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: "it broke\n"},
	})
	if got := podfault.TerminationMessage(&said, "c"); got != "it broke" {
		t.Errorf("message %q", got)
	}
	running := pod(func(*corev1.Pod) {})
	if got := podfault.TerminationMessage(&running, "c"); got != "" {
		t.Errorf("message %q of a container that runs", got)
	}
}
