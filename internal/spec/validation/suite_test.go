package validation_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateSuite(t *testing.T) {
	const matrix = "matrix:\n  dimensions: [{name: d, choices: [{name: a}, {name: b}]}, {name: e, choices: [{name: c}]}]\n"
	tests := map[string]testCase{
		"an empty suite is valid": {},
		"labels and annotations of others are valid": {
			spec: "template: {metadata: {labels: {kueue.x-k8s.io/queue-name: a, team: b}, annotations: {a/b: '{\"c\": 1}'}}}",
		},
		"labels that are the operator's": {
			spec: "template: {metadata: {labels: " +
				"{mongobench.dev/a: b, a.mongobench.dev/a: b, app.kubernetes.io/managed-by: c}}}",
			want: []string{
				"spec.template.metadata.labels[a.mongobench.dev/a]: the operator keeps it",
				"spec.template.metadata.labels[app.kubernetes.io/managed-by]: the operator keeps it",
				"spec.template.metadata.labels[mongobench.dev/a]: the operator keeps it",
			},
		},
		"an annotation that is the operator's": {
			spec: "template: {metadata: {annotations: {mongobench.dev/variant: b}}}",
			want: []string{"spec.template.metadata.annotations[mongobench.dev/variant]: the operator keeps it"},
		},
		"a label of a domain that only looks like it is valid": {
			spec: "template: {metadata: {labels: {notmongobench.dev/a: b}}}",
		},
		"a label that is none": {
			spec: "template: {metadata: {labels: {a: b c}}}",
			want: []string{"spec.template.metadata.labels: a valid label must be"},
		},
		"an annotation whose key is none": {
			spec: "template: {metadata: {annotations: {a b: c}}}",
			want: []string{"spec.template.metadata.annotations: must consist of"},
		},
		"runs that are cancelled": {
			spec: "template: {spec: {cancel: true}}",
			want: []string{"spec.template.spec.cancel: end every run at once"},
		},
		"runs that would go and be made again": {
			spec: "template: {spec: {ttlSecondsAfterFinished: 60}}",
			want: []string{"spec.template.spec.ttlSecondsAfterFinished: the suite would make the run again"},
		},
		"runs that wait are valid": {spec: "template: {spec: {suspend: true, cancel: false}}"},
		"an exclusion is valid":    {spec: matrix + "  exclude: [{choices: {d: a, e: c}}, {choices: {d: b}}]"},
		"an exclusion of what there is not": {
			spec: matrix + "  exclude: [{choices: {d: a}}, {choices: {f: a, d: c}}]",
			want: []string{
				`spec.matrix.exclude[1].choices[d]: supported values: "a", "b"`,
				"spec.matrix.exclude[1].choices[f]: no dimension has this name",
			},
		},
		"reports that the history may hold are valid": {spec: "historySizeLimit: 1Mi"},
		"reports of less than 1 MiB": {
			spec: "historySizeLimit: 1023Ki", want: []string{"spec.historySizeLimit: must be from 1Mi to 8Gi"},
		},
		"reports of more than 8 GiB": {
			spec: "historySizeLimit: 8193Mi", want: []string{"spec.historySizeLimit: must be from 1Mi to 8Gi"},
		},
		"doubts and differences that there are, are valid": {
			spec: "{allowDoubts: [NotSteady, Partial], ignoreDifferences: [durability, kernels, stealPercent]}",
		},
		"doubts that there are not": {
			spec: "allowDoubts: [NotSteady, NoConcern, Steady]",
			want: []string{"spec.allowDoubts[1]: supported values", "spec.allowDoubts[2]: supported values"},
		},
		"differences that make none": {
			spec: "ignoreDifferences: [kernel, startupWarnings]",
			want: []string{"spec.ignoreDifferences[0]: supported values", "spec.ignoreDifferences[1]: supported values"},
		},
		"thresholds are valid": {
			spec: "thresholds: [{metric: P99Micros}, {metric: P99Micros, step: a}, {metric: LoadDocumentsPerSecond}]",
		},
		"a threshold twice": {
			spec: "thresholds: [{metric: P99Micros, step: a}, {metric: P99Micros, step: a, minEffectPercent: 9}]",
			want: []string{"spec.thresholds[1]: Duplicate"},
		},
		"a step of the loading": {
			spec: "thresholds: [{metric: LoadDocumentsPerSecond, step: a}]",
			want: []string{"spec.thresholds[0].step: belongs to no step"},
		},
		"an operation of the loading": {
			spec: "baseline: {figures: [{metric: LoadDocumentsPerSecond, operation: a, value: 1}]}",
			want: []string{"spec.baseline.figures[0].operation: belongs to no operation"},
		},
		"the lag of an operation": {
			spec: "thresholds: [{metric: ReplicationLagMillis, operation: a}]",
			want: []string{"spec.thresholds[0].operation: Forbidden: the replication lag belongs to no operation"},
		},
		"a figure twice": {
			spec: "baseline: {figures: [{metric: P99Micros, value: 1}, {metric: P99Micros, value: 2}]}",
			want: []string{"spec.baseline.figures[1]: Duplicate"},
		},
		"another suite as the baseline is valid": {spec: "baseline: {suite: {name: other}}"},
		"a revision of its own is valid":         {spec: "baseline: {suite: {name: own, revision: a}}"},
		"itself as the baseline": {
			spec: "baseline: {suite: {name: own}}",
			want: []string{"spec.baseline.suite.revision: use previousRevision"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			suite := &benchv1alpha1.BenchmarkSuite{}
			suite.Name = "own"
			if err := yaml.UnmarshalStrict([]byte(tc.spec), &suite.Spec); err != nil {
				t.Fatal(err)
			}
			check(t, validation.ValidateSuite(suite), tc.want)
		})
	}
}
