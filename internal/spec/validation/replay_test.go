package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateReplays(t *testing.T) {
	const replay = "spec.workload.steps[0].replay"
	step := func(replay, more string) string {
		return withSteps("{name: s, replay: {"+replay+"}"+more+"}", "")
	}
	const file = "recording: {configMap: {name: c, key: k}}"
	for name, tc := range map[string]testCase{
		"a recording in a ConfigMap is valid": {spec: step(file, "")},
		"a recording in a volume is valid": {
			spec: step("recording: {persistentVolumeClaim: {claimName: c, path: a/b}}, speedPercent: 50, databases: [a]",
				", threads: 4, durationSeconds: 9"),
		},
		"two recordings": {
			spec: step("recording: {configMap: {name: c, key: k}, persistentVolumeClaim: {claimName: c, path: a}}", ""),
			want: []string{replay + ".recording: Forbidden: exactly one of configMap and persistentVolumeClaim"},
		},
		"no recording": {
			spec: step("recording: {}", ""),
			want: []string{replay + ".recording: Forbidden: exactly one of configMap and persistentVolumeClaim"},
		},
		"operations besides": {
			spec: step(file, ", operations: [{name: a, kind: FindOne}]"),
			want: []string{replay + ": Forbidden: exactly one of operations and replay"},
		},
		"neither operations nor a replay": {
			spec: withSteps("{name: s, durationSeconds: 9}", ""),
			want: []string{"spec.workload.steps[0].operations: Required value: exactly one of operations and replay"},
		},
		"a threshold of an operation": {
			spec: step(file, ", abortOn: [{operation: find, errorPercent: 5}]"),
			want: []string{"spec.workload.steps[0].abortOn[0].operation: "},
		},
		"fewer threads than pods": {
			spec: withSteps("{name: s, threads: 1, replay: {"+file+"}}", "loadGenerator: {pods: 2}"),
			want: []string{"spec.workload.steps[0].threads: "},
		},
		"a MariaDB": {
			spec: withSteps("{name: s, replay: {"+file+"}}", `target: {mariadb: {version: "11.8.3"}}`),
			want: []string{replay + ": Forbidden: commands of MongoDB are replayed"},
		},
		"shards without a mongos": {
			spec: withSteps("{name: s, replay: {"+file+"}}",
				`target: {mongodb: {version: "6.0.5", sharded: {shards: 2, router: Client}}}`),
			want: []string{replay + ": Forbidden: sessions and cursors need a mongos"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
