package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateResources(t *testing.T) {
	with := func(resources string) string { return ofMariaDB(", resources: {" + resources + "}") }
	const limits, requests = "spec.mariadb.resources.limits", "spec.mariadb.resources.requests"
	validateTargets(t, map[string]testCase{
		"nothing is valid":          {spec: with("")},
		"the least CPU is valid":    {spec: with("limits: {cpu: 50m}")},
		"the least of all is valid": {spec: with("requests: {cpu: 1m, memory: 1, ephemeral-storage: 1}")},
		"the least disk is valid":   {spec: with("limits: {ephemeral-storage: 64Mi}")},
		"requests that equal their limits are valid": {
			spec: with("limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}"),
		},
		"a request that equals the default is valid": {spec: with("requests: {cpu: 500m, memory: 1Gi}")},
		// A pod that says nothing of the disk is not limited in it.
		"any request of disk is valid": {spec: with("requests: {ephemeral-storage: 1Ti}")},
		"claims of devices": {
			spec: with("claims: [{name: gpu}]"), want: []string{"spec.mariadb.resources.claims: makes no claims of devices"},
		},
		"limits that are too small": {
			spec: with("limits: {cpu: 49m, memory: 31Mi, ephemeral-storage: 63Mi}"),
			want: []string{
				limits + "[cpu]: must be at least 50m", limits + "[ephemeral-storage]: must be at least 64Mi",
				limits + "[memory]: must be at least 32Mi", limits + "[memory]: must be at least",
			},
		},
		"requests of nothing": {
			spec: with(`requests: {cpu: 0, memory: 0, ephemeral-storage: "-1"}`),
			want: []string{
				requests + "[cpu]: must be greater than 0", requests + "[ephemeral-storage]: must be greater than 0",
				requests + "[memory]: must be greater than 0",
			},
		},
		"requests above their limits": {
			spec: with("limits: {cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi}, " +
				"requests: {cpu: 1001m, memory: 1025Mi, ephemeral-storage: 2Gi}"),
			want: []string{
				requests + "[cpu]: must be no more than the limit, 1", requests + "[ephemeral-storage]: than the limit, 1Gi",
				requests + "[memory]: must be no more than the limit, 1Gi",
			},
		},
		"requests above limits that are unset": {
			spec: with("requests: {cpu: 501m, memory: 1025Mi}"),
			want: []string{
				requests + "[cpu]: must be no more than the limit, which is 500m when unset",
				requests + "[memory]: must be no more than the limit, which is 1Gi when unset",
			},
		},
		"resources that are not known": {
			spec: with("limits: {hugepages-2Mi: 1Gi}, requests: {nvidia.com/gpu: 1}"),
			want: []string{
				limits + `: supported values: "cpu", "ephemeral-storage", "memory"`,
				requests + `: supported values: "cpu", "ephemeral-storage", "memory"`,
			},
		},
		"those of a mongos": {
			spec: ofVersion("6.0", `, sharded: {mongos: {resources: {limits: {cpu: 49m}}}}`),
			want: []string{"spec.mongodb.sharded.mongos.resources.limits[cpu]: must be at least 50m"},
		},
		"those of a config server": {
			spec: ofVersion("6.0", `, sharded: {configServers: {resources: {requests: {cpu: 251m}}}}`),
			want: []string{"spec.mongodb.sharded.configServers.resources.requests[cpu]: which is 250m when unset"},
		},
	})
}

func TestValidateResourcesOfLoadPods(t *testing.T) {
	const path = "spec.loadGenerator.resources."
	for name, tc := range map[string]testCase{
		"the least is valid":        {spec: "limits: {cpu: 50m, memory: 128Mi, ephemeral-storage: 64Mi}"},
		"as much disk as they may":  {spec: "requests: {ephemeral-storage: 256Mi}"},
		"more disk, with its limit": {spec: "limits: {ephemeral-storage: 1Gi}, requests: {ephemeral-storage: 257Mi}"},
		"a CPU that is too small": {
			spec: "limits: {cpu: 49m}",
			want: []string{path + "limits[cpu]: must be at least 50m"},
		},
		"a request above the default": {spec: "requests: {cpu: 501m}", want: []string{path + "requests[cpu]: which is 500m"}},
		"a request of more disk than they may have": {
			spec: "requests: {ephemeral-storage: 257Mi}",
			want: []string{path + "requests[ephemeral-storage]: must be no more than the limit, which is 256Mi when unset"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := withCollection("documentCount: 10") + "\nloadGenerator: {resources: {" + tc.spec + "}}"
			check(t, validation.ValidateRun(runOf(t, run)), tc.want)
		})
	}
}

func TestValidateStorage(t *testing.T) {
	claim := func(spec string) string {
		return ofVersion("6.0.5", ", storage: {volumeClaimTemplate: {spec: {"+spec+"}}}")
	}
	directory := func(settings string) string {
		return ofVersion("6.0.5", ", resources: {limits: {memory: 4Gi}}, storage: {emptyDir: {"+settings+"}}")
	}
	const claimed, emptied = "spec.mongodb.storage.volumeClaimTemplate.spec.", "spec.mongodb.storage.emptyDir."
	validateTargets(t, map[string]testCase{
		"an empty claim is valid":     {spec: claim("")},
		"no storage is valid":         {spec: ofVersion("6.0.5", ", storage: {}")},
		"the smallest claim is valid": {spec: claim("resources: {requests: {storage: 1Gi}}")},
		"a claim of which everything is said is valid": {
			spec: claim("storageClassName: fast, accessModes: [ReadWriteOncePod], volumeMode: Filesystem, " +
				"resources: {requests: {storage: 20Gi}}"),
		},
		"a claim that is too small": {
			spec: claim("resources: {requests: {storage: 1023Mi}}"),
			want: []string{claimed + "resources.requests[storage]: must be at least 1Gi"},
		},
		"a volume that many may write": {
			spec: claim("accessModes: [ReadWriteOnce, ReadWriteMany]"),
			want: []string{claimed + `accessModes[1]: supported values: "ReadWriteOnce", "ReadWriteOncePod"`},
		},
		"one volume for all": {
			spec: claim("volumeName: mine"), want: []string{claimed + "volumeName: each member has its own"},
		},
		"a volume that is filled": {
			spec: claim("dataSource: {kind: PersistentVolumeClaim, name: old}, dataSourceRef: {kind: A, name: b}"),
			want: []string{
				claimed + "dataSource: begins with an empty one", claimed + "dataSourceRef: begins with an empty one",
			},
		},
		"a device": {
			spec: claim("volumeMode: Block"), want: []string{claimed + "volumeMode: must be Filesystem"},
		},
		"an empty directory is valid":    {spec: ofVersion("6.0.5", ", storage: {emptyDir: {}}")},
		"the smallest directory is":      {spec: directory("sizeLimit: 1Gi")},
		"a directory in memory is valid": {spec: directory("medium: Memory, sizeLimit: 1Gi")},
		"a directory that is too small": {
			spec: directory("sizeLimit: 1023Mi"), want: []string{emptied + "sizeLimit: must be at least 1Gi"},
		},
		"one in memory that is too small": {
			spec: directory("medium: Memory, sizeLimit: 1023Mi"), want: []string{emptied + "sizeLimit: must be at least 1Gi"},
		},
		"a medium that is not known": {
			spec: directory("medium: HugePages"), want: []string{emptied + `medium: supported values: "Memory"`},
		},
	})
}
