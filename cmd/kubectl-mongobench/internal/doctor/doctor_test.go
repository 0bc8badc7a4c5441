package doctor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/doctor"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/config/crd"
	"github.com/mongobench/mongobench-operator/internal/capacity"
)

var (
	noon      = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	forbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("no"))
	missing   = apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, "thing")
)

// healthy is what there is to see of a cluster in which nothing is wrong, and a run told of its node.
func healthy(t *testing.T) *doctor.Observation {
	t.Helper()
	o := &doctor.Observation{Namespace: "here"}
	o.Space.Value.Name = "here"
	o.Operators.Value = []appsv1.Deployment{deployment()}
	for _, name := range crd.Names() {
		o.Definitions = append(o.Definitions, doctor.Read[unstructured.Unstructured]{Value: definition(t, name)})
		o.Served = append(o.Served, true)
	}
	o.Rights.Value = []doctor.Right{
		{Command: "run", Group: "mongobench.dev", Resource: "benchmarkruns", Verb: "create", Allowed: true},
		{Command: "run", Group: "mongobench.dev", Resource: "benchmarkruns", Verb: "patch", Allowed: true},
		{Command: "rm", Group: "mongobench.dev", Resource: "benchmarkruns", Verb: "delete", Allowed: true},
	}
	binding := storagev1.VolumeBindingWaitForFirstConsumer
	class := storagev1.StorageClass{Provisioner: "local", VolumeBindingMode: &binding}
	class.Name, class.Annotations = "disk", map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	o.Classes.Value = []storagev1.StorageClass{class}
	o.Nodes.Value = estimate.Nodes{All: []estimate.Node{{
		Name: "a", Type: "large", Kernel: "6.1", Ready: true, Created: noon,
		Has:   capacity.Amount{CPUMillis: 4000, MemoryBytes: 8 << 30, Pods: 110},
		Taken: capacity.Amount{CPUMillis: 500, MemoryBytes: 1 << 30, Pods: 9},
	}}}
	o.Monitoring.Value = true
	o.Runs.Value = []benchv1alpha1.BenchmarkRun{measured("first", noon.Add(time.Hour), "access control is off")}
	return o
}

func deployment() appsv1.Deployment {
	made := appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 1, UpdatedReplicas: 1}}
	made.Namespace, made.Name = "system", "mongobench"
	made.Labels = map[string]string{"app.kubernetes.io/version": "0.1.0"}
	made.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "manager", Image: "host:5000/operator:0.2.0", Args: []string{"--leader-elect"}},
	}
	return made
}

// definitions are read once: they are long.
var definitions = map[string]*unstructured.Unstructured{}

func definition(t *testing.T, name string) unstructured.Unstructured {
	t.Helper()
	if definitions[name] == nil {
		content, _ := crd.Read(name)
		encoded, err := yaml.YAMLToJSON(content)
		if err != nil {
			t.Fatal(err)
		}
		definitions[name] = &unstructured.Unstructured{}
		if err := definitions[name].UnmarshalJSON(encoded); err != nil {
			t.Fatal(err)
		}
	}
	return *definitions[name].DeepCopy()
}

// measured is a run that ended on nodes of the type large.
func measured(name string, at time.Time, warnings ...string) benchv1alpha1.BenchmarkRun {
	run := benchv1alpha1.BenchmarkRun{}
	run.Namespace, run.Name = "here", name
	run.Status.Result = &benchv1alpha1.Result{}
	run.Status.Server = &benchv1alpha1.ServerFingerprint{Version: "6.0.5", StartupWarnings: warnings}
	run.Status.Fingerprint = &benchv1alpha1.RunFingerprint{NodeTypes: []string{"large"}, Kernels: []string{"6.1"}}
	run.Status.Conditions = []metav1.Condition{{
		Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(at),
	}}
	return run
}

// properties of the specification in a definition of a kind. What is changed in them is changed in the definition.
func properties(t *testing.T, o *doctor.Observation, kind int) map[string]any {
	t.Helper()
	spec, _ := o.Definitions[kind].Value.Object["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	found, _ := versions[0].(map[string]any)
	for _, key := range []string{"schema", "openAPIV3Schema", "properties", "spec", "properties"} {
		next, ok := found[key].(map[string]any)
		if !ok {
			t.Fatalf("there is no %s in the definition", key)
		}
		found = next
	}
	return found
}

func quota(hard, used corev1.ResourceList) []corev1.ResourceQuota {
	made := corev1.ResourceQuota{
		Spec: corev1.ResourceQuotaSpec{Hard: hard}, Status: corev1.ResourceQuotaStatus{Hard: hard, Used: used},
	}
	made.Name = "team"
	return []corev1.ResourceQuota{made}
}

func limits(item corev1.LimitRangeItem) []corev1.LimitRange {
	made := corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
	made.Name = "team"
	return []corev1.LimitRange{made}
}

func of(name corev1.ResourceName, amount string) corev1.ResourceList {
	return corev1.ResourceList{name: resource.MustParse(amount)}
}

func TestAHealthyClusterHasNothingWrong(t *testing.T) {
	unknown := map[string]bool{
		"swappiness": true, "CPU governor": true, "overcommit": true, "max_map_count": true, "cgroup version": true,
	}
	found := doctor.Examine(*healthy(t))
	if doctor.Failed(found) {
		t.Error("something has failed")
	}
	for _, finding := range found {
		want := doctor.OK
		if unknown[finding.Check] {
			want = doctor.Warn
			if !strings.HasPrefix(finding.Found, "unknown: ") || finding.Do == "" {
				t.Errorf("%+v does not say that it is unknown, and where to look", finding)
			}
		}
		if finding.Level != want {
			t.Errorf("%+v is not %s", finding, want)
		}
	}
}

// diagnosis is what has to be found once something was changed about a healthy cluster.
type diagnosis struct {
	change func(t *testing.T, o *doctor.Observation)
	check  string
	level  doctor.Level
	says   string
}

func TestFindings(t *testing.T) {
	all := []map[string]diagnosis{aboutTheOperator(), aboutTheCluster(), aboutTheNamespace(), aboutNodes()}
	for _, cases := range all {
		for name, tc := range cases {
			t.Run(name, func(t *testing.T) {
				o := healthy(t)
				tc.change(t, o)
				tc.wantIn(t, doctor.Examine(*o))
			})
		}
	}
}

// wantIn wants the diagnosis among all findings.
func (d diagnosis) wantIn(t *testing.T, all []doctor.Finding) {
	t.Helper()
	at := slices.IndexFunc(all, func(f doctor.Finding) bool { return f.Check == d.check })
	if at < 0 {
		t.Fatalf("nothing is called %q in %+v", d.check, all)
	}
	finding := all[at]
	if finding.Level != d.level || !strings.Contains(finding.Found, d.says) {
		t.Errorf("got %+v, want %s with %q", finding, d.level, d.says)
	}
	if finding.Level != doctor.OK && finding.Do == "" {
		t.Errorf("%+v does not say what to do", finding)
	}
	if d.level == doctor.Fail && !doctor.Failed(all) {
		t.Error("nothing has failed")
	}
}

func aboutTheOperator() map[string]diagnosis {
	const check = "operator"
	with := func(change func(*appsv1.Deployment)) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { change(&o.Operators.Value[0]) }
	}
	return map[string]diagnosis{
		"an operator that is ready": {
			with(func(*appsv1.Deployment) {}), check, doctor.OK, "system/mongobench, version 0.2.0, 1 of 1 ready",
		},
		"an operator whose image has a digest": {
			with(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "operator@sha256:12" }),
			check, doctor.OK, "version 0.1.0",
		},
		"no operator": {
			func(_ *testing.T, o *doctor.Observation) { o.Operators.Value = nil }, check, doctor.Fail, "no namespace has",
		},
		"operators that may not be seen": {
			func(_ *testing.T, o *doctor.Observation) { o.Operators.Err = forbidden }, check, doctor.Warn, "unknown: ",
		},
		"an operator that is not ready": {
			with(func(d *appsv1.Deployment) {
				d.Status.ReadyReplicas = 0
				d.Status.Conditions = []appsv1.DeploymentCondition{{Status: "False", Message: "no image"}}
			}), check, doctor.Fail, "0 of 1 ready: no image",
		},
		"an operator that is scaled down": {
			with(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32) }), check, doctor.Fail, "scaled to none",
		},
		"an operator that is being replaced": {
			with(func(d *appsv1.Deployment) { d.Generation = 2 }), check, doctor.Warn, "a rollout goes on",
		},
		"an operator of other namespaces": {
			with(func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Args = []string{"--namespaces=there,where"}
			}), check, doctor.Fail, "no operator watches namespace here: system/mongobench watches there, where",
		},
		"an operator of this namespace and of others": {
			with(func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Args = []string{"--namespaces=here,where"}
			}), check, doctor.OK, "1 of 1 ready",
		},
		"two operators": {
			func(_ *testing.T, o *doctor.Observation) { o.Operators.Value = append(o.Operators.Value, deployment()) },
			check, doctor.Fail, "2 operators watch namespace here",
		},
		"two operators, of which one works": {
			func(_ *testing.T, o *doctor.Observation) {
				o.Operators.Value = append(o.Operators.Value, deployment())
				o.Lease.Value.Spec = coordinationv1.LeaseSpec{
					HolderIdentity: new("system/mongobench"), RenewTime: new(metav1.NewMicroTime(time.Unix(0, 0))),
				}
			},
			check, doctor.Fail, "was last renewed by system/mongobench, at 1970-01-01T00:00:00Z",
		},
	}
}

func aboutTheCluster() map[string]diagnosis {
	const kind = "kind benchmarkruns.mongobench.dev"
	classes := func(change func(*storagev1.StorageClass)) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { change(&o.Classes.Value[0]) }
	}
	at := storagev1.VolumeBindingImmediate
	retain := corev1.PersistentVolumeReclaimRetain
	return map[string]diagnosis{
		"a kind that is not installed": {
			func(_ *testing.T, o *doctor.Observation) { o.Definitions[0].Err = missing }, kind, doctor.Fail, "not installed",
		},
		"a kind that may not be seen": {
			func(_ *testing.T, o *doctor.Observation) { o.Definitions[0].Err = forbidden }, kind, doctor.Warn,
			"it is served; unknown",
		},
		"a kind that is not served": {
			func(_ *testing.T, o *doctor.Observation) { o.Definitions[0].Err, o.Served[0] = forbidden, false },
			kind, doctor.Fail, "v1alpha1 is not served",
		},
		"an older kind": {
			func(t *testing.T, o *doctor.Observation) { //nolint:thelper // It is a case.
				delete(properties(t, o, 0), "deadlines")
			}, kind, doctor.Fail, "it lacks spec.deadlines, spec.deadlines.loadingSeconds, spec.deadlines.measuringSeconds",
		},
		"a newer kind": {
			func(t *testing.T, o *doctor.Observation) { //nolint:thelper // It is a case.
				properties(t, o, 0)["colour"] = map[string]any{"type": "string"}
			}, kind, doctor.Warn, "it has spec.colour as well",
		},
		"a kind with other rules": {
			func(t *testing.T, o *doctor.Observation) { //nolint:thelper // It is a case.
				seed, _ := properties(t, o, 0)["seed"].(map[string]any)
				seed["minimum"] = int64(7)
			}, kind, doctor.Warn, "with other rules",
		},
		"a right that is missing": {
			func(_ *testing.T, o *doctor.Observation) { o.Rights.Value[1].Allowed = false }, "rights for run", doctor.Fail,
			"may not patch benchmarkruns",
		},
		"a right of another command that is missing": {
			func(_ *testing.T, o *doctor.Observation) { o.Rights.Value[1].Allowed = false }, "rights for rm", doctor.OK,
			"all of it",
		},
		"no class that is the default": {
			classes(func(c *storagev1.StorageClass) { c.Annotations = nil }), "storage class", doctor.Warn,
			"none of 1 is the default",
		},
		"a class that binds at once": {
			classes(func(c *storagev1.StorageClass) { c.VolumeBindingMode = &at }), "storage class", doctor.Warn,
			"binds at once",
		},
		"a class that keeps volumes": {
			classes(func(c *storagev1.StorageClass) { c.ReclaimPolicy = &retain }), "storage class", doctor.OK, "Retain",
		},
		"two classes that are the default": {
			func(_ *testing.T, o *doctor.Observation) {
				younger := *o.Classes.Value[0].DeepCopy()
				younger.Name, younger.CreationTimestamp = "younger", metav1.NewTime(noon)
				o.Classes.Value = append(o.Classes.Value, younger)
			}, "storage class", doctor.Warn, "younger, disk",
		},
		"no Prometheus Operator": {
			func(_ *testing.T, o *doctor.Observation) { o.Monitoring.Value = false }, "prometheus", doctor.OK, "is not there",
		},
	}
}

func aboutTheNamespace() map[string]diagnosis {
	quotas := func(hard, used corev1.ResourceList) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { o.Quotas.Value = quota(hard, used) }
	}
	ranges := func(item corev1.LimitRangeItem) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { o.Limits.Value = limits(item) }
	}
	return map[string]diagnosis{
		"a namespace that is not there": {
			func(_ *testing.T, o *doctor.Observation) { o.Space.Err = missing }, "namespace", doctor.Fail, "no namespace here",
		},
		"a namespace that goes away": {
			func(_ *testing.T, o *doctor.Observation) { o.Space.Value.Status.Phase = corev1.NamespaceTerminating }, "namespace",
			doctor.Fail, "being deleted",
		},
		"a strict namespace": {
			func(_ *testing.T, o *doctor.Observation) {
				o.Space.Value.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "baseline"}
			}, "namespace", doctor.OK, "level baseline",
		},
		"a quota that is too small for any run": {
			quotas(of(corev1.ResourceLimitsMemory, "1Gi"), nil), "quota team", doctor.Fail,
			"1Gi of limits.memory, and the smallest run takes 1408Mi",
		},
		"a quota that is used up": {
			quotas(of(corev1.ResourceCPU, "2"), of(corev1.ResourceCPU, "1500m")), "quota team", doctor.Warn, "500m of cpu",
		},
		"a quota that leaves enough": {
			quotas(of(corev1.ResourcePods, "10"), of(corev1.ResourcePods, "4")), "quota team", doctor.OK, "6 of pods",
		},
		"a quota for other things": {
			quotas(of("count/secrets", "1"), nil), "quota team", doctor.OK, "nothing that a run takes",
		},
		"limits below a member": {
			ranges(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: of(corev1.ResourceMemory, "512Mi")}),
			"limit range team", doctor.Warn, "a member of the default size may use 1Gi of memory, and at most 512Mi is allowed",
		},
		"limits above the topology Job": {
			ranges(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: of(corev1.ResourceCPU, "100m")}),
			"limit range team", doctor.Fail, "the topology Job asks for 50m of cpu, and at least 100m is wanted",
		},
		"a ratio that the topology Job has not": {
			ranges(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: of(corev1.ResourceCPU, "4")}),
			"limit range team", doctor.Fail, "limits of 10 times its requests of cpu",
		},
		"volumes that are too large": {
			ranges(corev1.LimitRangeItem{
				Type: corev1.LimitTypePersistentVolumeClaim, Max: of(corev1.ResourceStorage, "5Gi"),
			}), "limit range team", doctor.Warn, "has 10Gi, and at most 5Gi",
		},
		"wide limits": {
			ranges(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: of(corev1.ResourceCPU, "8")}),
			"limit range team", doctor.OK, "within it",
		},
	}
}

func aboutNodes() map[string]diagnosis {
	const pages = "transparent huge pages"
	node := func(change func(*estimate.Node)) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { change(&o.Nodes.Value.All[0]) }
	}
	runs := func(all ...benchv1alpha1.BenchmarkRun) func(*testing.T, *doctor.Observation) {
		return func(_ *testing.T, o *doctor.Observation) { o.Runs.Value = all }
	}
	const warning = "/sys/kernel/mm/transparent_hugepage/enabled is 'always'"
	elsewhere := measured("elsewhere", noon.Add(time.Hour), "x")
	elsewhere.Status.Fingerprint.NodeTypes = []string{"large", "small"}
	return map[string]diagnosis{
		"a node": {
			node(func(*estimate.Node) {}), "node a", doctor.OK, "of that 3500m CPU and 7168 MiB free, 9 of 110 pods there",
		},
		"a node that is not ready": {
			node(func(n *estimate.Node) { n.Ready = false }), "room", doctor.Fail, "no node that takes any pod",
		},
		"no node": {
			func(_ *testing.T, o *doctor.Observation) { o.Nodes.Value.All = nil }, "nodes", doctor.Fail, "has none",
		},
		"nodes that may not be seen": {
			func(_ *testing.T, o *doctor.Observation) { o.Nodes.Err = forbidden }, "nodes", doctor.Warn, "unknown: ",
		},
		"pods that may not be seen": {
			func(_ *testing.T, o *doctor.Observation) { o.Nodes.Value.PodsUnknown = forbidden }, "node a", doctor.Warn,
			"unknown: what is taken of it",
		},
		"a kernel that MongoDB does not mind": {
			node(func(n *estimate.Node) { n.Kernel = "6.18.3" }), "kernel", doctor.OK, "no node has one",
		},
		"a kernel that MongoDB stops on": {
			node(func(n *estimate.Node) { n.Kernel = "7.0.9-generic" }), "kernel", doctor.Warn,
			"MongoDB 8.0 and later stops at its start on Linux 6.19 to 7.0.13, which a (7.0.9-generic) have",
		},
		"a node that is full": {
			node(func(n *estimate.Node) { n.Taken = n.Has }), "room", doctor.Warn, "none has room now",
		},
		"a node that is too small": {
			node(func(n *estimate.Node) { n.Has.MemoryBytes = 1 << 29 }), "room", doctor.Fail, "no node that takes any pod",
		},
		"a server that warned": {
			runs(measured("first", noon.Add(time.Hour), warning)), pages, doctor.Warn,
			"on nodes like a mongod 6.0.5 said in run here/first: " + warning,
		},
		"a server that found nothing wrong": {
			runs(measured("first", noon.Add(time.Hour), "something else")), pages, doctor.OK,
			"on nodes like a found nothing wrong",
		},
		"a server that was not asked": {
			runs(measured("first", noon.Add(time.Hour))), pages, doctor.Warn, "unknown: runs on nodes like a do not tell it",
		},
		"a later run with another word": {
			runs(measured("second", noon.Add(2*time.Hour), "something else"), measured("first", noon.Add(time.Hour), warning)),
			pages, doctor.OK, "found nothing wrong",
		},
		"no run": {
			runs(), pages, doctor.Warn, "unknown: no run has been measured on node a yet",
		},
		"a run of a time before the node": {
			runs(measured("first", noon.Add(-time.Hour), warning)), pages, doctor.Warn, "no run has been measured on node a yet",
		},
		"a run on several kinds of nodes": {
			runs(elsewhere), pages, doctor.Warn, "no run has been measured on node a yet",
		},
		"a warning about mappings": {
			runs(measured("first", noon.Add(time.Hour), "vm.max_map_count is too low")), "max_map_count", doctor.Warn,
			"vm.max_map_count is too low",
		},
	}
}
