package chart

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// one is an object of the chart, as far as these tests look.
type one struct {
	APIVersion string
	Kind       string
	Metadata   struct {
		Name, Namespace     string
		Labels, Annotations map[string]string
	}
	Spec  map[string]any
	Rules []struct {
		Verbs           []string
		NonResourceURLs []string `json:"nonResourceURLs"`
	}
	Subjects []map[string]string
}

// objects are all that a release makes with these values, by kind and name.
func objects(t *testing.T, values chartutil.Values) map[string]one {
	t.Helper()
	text, err := render(load(t), values)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]one{}
	for file := range strings.SplitSeq(text, "# mongobench-operator/templates/") {
		if strings.HasPrefix(file, "NOTES") {
			continue
		}
		_, file, _ = strings.Cut(file, "\n")
		for document := range strings.SplitSeq("\n"+file, "\n---\n") {
			var object one
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				t.Fatalf("%v in\n%s", err, document)
			}
			if object.Kind != "" {
				found[object.Kind+"/"+object.Metadata.Name] = object
			}
		}
	}
	return found
}

func names(of map[string]one) []string { return slices.Sorted(maps.Keys(of)) }

// TestValuesDoWhatTheySay renders one value after the other and looks for its effect.
func TestValuesDoWhatTheySay(t *testing.T) {
	const digest = "sha256:0123456789012345678901234567890123456789012345678901234567890123"
	for name, tc := range map[string]struct {
		values string
		want   []string
		never  []string
	}{
		"an account that exists": {
			values: "{serviceAccount: {create: false, name: mine}, imagePullSecrets: [{name: pull}]}",
			want:   []string{"serviceAccountName: mine", "name: mine\n", "imagePullSecrets:\n        - name: pull"},
			never:  []string{"kind: ServiceAccount\nmetadata"},
		},
		"the account of the namespace": {
			values: "{serviceAccount: {create: false}}", want: []string{"serviceAccountName: default"},
		},
		"annotations of the account": {
			values: "{serviceAccount: {annotations: {a.example/role: x}}}", want: []string{"a.example/role: x"},
		},
		"no roles": {
			values: "{rbac: {create: false}}", never: []string{"kind: Role", "kind: ClusterRole"},
		},
		"another name": {
			values: "{nameOverride: other}", want: []string{"name: mongobench-other\n", "name: mongobench-other-metrics\n"},
			never: []string{"\n  name: mongobench-operator\n"},
		},
		"a name as it is": {
			values: "{fullnameOverride: bench}", want: []string{"name: bench\n", "name: bench-metrics\n"},
			never: []string{"\n  name: mongobench-operator\n"},
		},
		"experimental features": {
			values: "{featureGates: {HandlerSocket: true, FerretDB: false}}",
			want:   []string{"- --feature-gates=FerretDB=false,HandlerSocket=true\n"},
		},
		"no word on experimental features": {values: "{}", never: []string{"--feature-gates"}},
		"digests": {
			values: "{image: {digest: '" + digest + "', tag: v1}, loadgen: {image: {digest: '" + digest + "'}}}",
			want: []string{
				`image: "ghcr.io/mongobench/operator@` + digest + `"`, "--loadgen-image=ghcr.io/mongobench/loadgen@" + digest,
			},
		},
		"one registry for all": {
			values: "{global: {imageRegistry: registry.example:5000/mirror}, imageRepositories: {ferretdb: local/ferretdb}}",
			want: []string{
				`image: "registry.example:5000/mirror/mongobench/operator:`,
				"--loadgen-image=registry.example:5000/mirror/mongobench/loadgen:",
				"--mongod-image-repository=registry.example:5000/mirror/library/mongo\n",
				"--ferretdb-image-repository=registry.example:5000/mirror/local/ferretdb\n",
			},
		},
		"security that leaves the IDs to the namespace": {
			values: "{podSecurityContext: {runAsUser: null, runAsGroup: null}}", want: []string{"runAsNonRoot: true"},
			never: []string{"65532"},
		},
		"security of the container": {
			values: "{containerSecurityContext: {seLinuxOptions: {level: s0}}}", want: []string{"level: s0", "drop:\n"},
		},
		"a budget": {
			values: "{replicas: 2, podDisruptionBudget: {enabled: true, maxUnavailable: 50%}}",
			want:   []string{"kind: PodDisruptionBudget", "maxUnavailable: 50%"},
		},
		"pods that are spread": {
			values: "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
			want:   []string{"topologySpreadConstraints:\n        - maxSkew: 1"},
		},
		"more flags and variables": {
			values: "{extraArgs: ['--runs-per-node-pool=3'], extraEnv: [{name: HTTPS_PROXY, value: p}], " +
				"maxConcurrentReconciles: 7, logLevel: warn}",
			want: []string{
				"- --runs-per-node-pool=3\n", "- name: HTTPS_PROXY\n", "--max-concurrent-reconciles=7\n", "--log-level=warn\n",
			},
		},
		"a part of the memory": {
			values: "{resources: {limits: {memory: 1Gi}}}", want: []string{"- name: MONGOBENCH_MEMORY_LIMIT\n"},
			never: []string{"GOMEMLIMIT"},
		},
		"no limit of memory": {
			values: "{resources: {limits: null}}", never: []string{"MEMORY_LIMIT", "env:"},
		},
		"deleting all at once": {
			values: "{aggregateDeleteCollection: true}", want: []string{"- deletecollection"},
		},
		"a certificate": {
			values: "{metrics: {certSecret: cert, serviceMonitor: {enabled: true}}}",
			want: []string{
				"--metrics-cert-dir=/etc/mongobench/metrics\n", "secretName: cert\n",
				"serverName: mongobench-operator-metrics.mongobench-system.svc\n", "key: ca.crt",
			},
			never: []string{"insecureSkipVerify"},
		},
		"metrics for all": {
			values: "{metrics: {secure: false, serviceMonitor: {enabled: true}}}",
			never:  []string{"--metrics-secure", "scheme: https", "tokenreviews", "-scraper", "insecureSkipVerify"},
		},
	} {
		t.Run(name, func(t *testing.T) { checkText(t, tc.values, tc.want, tc.never) })
	}
}

// checkText renders the chart, whose objects can be read, and looks for texts.
func checkText(t *testing.T, text string, wanted, never []string) {
	t.Helper()
	values, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	objects(t, values)
	got, err := render(load(t), values)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wanted {
		if !strings.Contains(got, want) {
			t.Errorf("nothing has %q in\n%s", want, got)
		}
	}
	for _, never := range never {
		if strings.Contains(got, never) {
			t.Errorf("something has %q in\n%s", never, got)
		}
	}
}

func TestCommonLabelsAndAnnotationsAreOnEverything(t *testing.T) {
	values := chartutil.Values{
		"commonLabels":      map[string]any{"team": "perf", "app.kubernetes.io/name": "stolen"},
		"commonAnnotations": map[string]any{"example.org/owner": "me"},
		"dashboards":        map[string]any{"enabled": true}, "networkPolicy": map[string]any{"enabled": true},
		"podDisruptionBudget": map[string]any{"enabled": true},
		"metrics":             monitored["metrics"],
	}
	all := objects(t, values)
	for name, object := range all {
		meta := object.Metadata
		if meta.Labels["team"] != "perf" || meta.Annotations["example.org/owner"] != "me" {
			t.Errorf("%s has labels %v and annotations %v", name, meta.Labels, meta.Annotations)
		}
		if meta.Labels["app.kubernetes.io/name"] != "mongobench-operator" {
			t.Errorf("%s is not selected by the chart's own labels: %v", name, meta.Labels)
		}
	}
	template, _ := all["Deployment/mongobench-operator"].Spec["template"].(map[string]any)
	meta, _ := template["metadata"].(map[string]any)
	if labels, _ := meta["labels"].(map[string]any); labels["team"] != "perf" {
		t.Errorf("the pods have labels %v", labels)
	}
	if len(all) < 20 {
		t.Errorf("only %q were looked at", names(all))
	}
}

// TestWhoAdministersNamespacesCanInstall: with watchNamespaces nothing lies outside of namespaces, unless it is wanted.
func TestWhoAdministersNamespacesCanInstall(t *testing.T) {
	watched := chartutil.Values{"watchNamespaces": []any{"a"}, "metrics": monitored["metrics"]}
	for name, object := range objects(t, watched) {
		if strings.HasPrefix(object.Kind, "Cluster") || strings.HasPrefix(object.Kind, "Validating") {
			t.Errorf("%s is made", name)
		}
	}
	watched["rbac"] = map[string]any{"clusterRoles": true}
	all := objects(t, watched)
	for _, want := range []string{
		"ClusterRole/mongobench-operator-edit", "ClusterRole/mongobench-operator-metrics",
		"ValidatingAdmissionPolicy/mongobench-operator-own", "ValidatingAdmissionPolicyBinding/mongobench-operator-in-use",
	} {
		if _, made := all[want]; !made {
			t.Errorf("there is no %s among %q", want, names(all))
		}
	}
	if _, made := all["ClusterRole/mongobench-operator"]; made {
		t.Error("the operator has rights in all namespaces")
	}
	_, err := render(load(t), chartutil.Values{"rbac": map[string]any{"clusterRoles": false}})
	if err == nil || !strings.Contains(err.Error(), "rbac.clusterRoles") {
		t.Errorf("an operator of all namespaces without a ClusterRole: error %v", err)
	}
}

// TestAdmissionPoliciesAreAskedForByThemselves: who may make them may not be who may make ClusterRoles.
func TestAdmissionPoliciesAreAskedForByThemselves(t *testing.T) {
	const policy = "ValidatingAdmissionPolicy/mongobench-operator-own"
	without := objects(t, chartutil.Values{"admissionPolicies": map[string]any{"create": false}})
	if _, made := without[policy]; made {
		t.Error("a policy is made that is not wanted")
	}
	with := objects(t, chartutil.Values{
		"admissionPolicies": map[string]any{"create": true}, "watchNamespaces": []any{"a"},
	})
	if _, made := with[policy]; !made {
		t.Errorf("there is no %s among %q", policy, names(with))
	}
}

func TestEditDoesNotDeleteAllAtOnceUnlessAsked(t *testing.T) {
	edit := objects(t, nil)["ClusterRole/mongobench-operator-edit"]
	if len(edit.Rules) != 1 || slices.Contains(edit.Rules[0].Verbs, "deletecollection") ||
		!slices.Contains(edit.Rules[0].Verbs, "delete") {
		t.Errorf("rules %+v", edit.Rules)
	}
}

// TestMetricsAreScrapedAsAReader follows the way of a scrape: the token's account is bound to a role that may read.
func TestMetricsAreScrapedAsAReader(t *testing.T) {
	all := objects(t, chartutil.Values{"metrics": map[string]any{
		"serviceMonitor": map[string]any{"enabled": true},
		"readers":        []any{map[string]any{"kind": "ServiceAccount", "name": "p", "namespace": "monitoring"}},
	}})
	const scraper = "mongobench-operator-scraper"
	token := all["Secret/"+scraper].Metadata.Annotations["kubernetes.io/service-account.name"]
	bound := all["ClusterRoleBinding/"+scraper].Subjects
	if token != scraper || len(bound) != 1 || bound[0]["name"] != scraper || bound[0]["namespace"] != namespace {
		t.Errorf("the token is that of %q, and bound are %v", token, bound)
	}
	if readers := all["ClusterRoleBinding/mongobench-operator-readers"].Subjects; len(readers) != 1 ||
		readers[0]["name"] != "p" {
		t.Errorf("readers are %v", readers)
	}
	rules := all["ClusterRole/"+scraper].Rules
	if len(rules) != 1 || !slices.Equal(rules[0].NonResourceURLs, []string{"/metrics"}) ||
		!slices.Equal(rules[0].Verbs, []string{"get"}) {
		t.Errorf("a reader may %+v", rules)
	}
}
