package decide

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
	"github.com/mongobench/mongobench-operator/controllers/internal/podspec"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

// release is the part of a version that decides which flags a mongod knows.
type release struct {
	major, minor int
}

// byRelease is everything that depends on the version of mongod.
var byRelease = []struct {
	since release
	flags []string
}{
	// From 5.0 on a member that is told to stop waits 15 s for its clients to leave, which nobody needs here.
	{since: release{5, 0}, flags: []string{"--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0"}},
}

// mongodFlags are the arguments of every member. Diagnostic data collection stays on: it costs little, and is what an
// expert asks for when a figure is odd.
func mongodFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	resources := podspec.Resources(spec.Resources, benchv1alpha1.DefaultMemberResources)
	flags := []string{
		"--dbpath", naming.DataPath,
		"--port", strconv.Itoa(naming.MongodPort),
		"--bind_ip_all",
		"--nounixsocket",
		"--wiredTigerCacheSizeGB", cacheGigabytes(*resources.Limits.Memory()),
		"--keyFile", naming.MongodKeyfilePath + "/" + naming.KeyfileKey,
	}
	if spec.Topology == benchv1alpha1.TopologyReplicaSet {
		flags = append(flags,
			"--replSet", naming.ReplicaSet,
			"--oplogSize", strconv.FormatInt(oplogMebibytes(storageSize(spec)), 10))
	}
	version := parseRelease(ptr.Deref(spec.Version, ""))
	for _, rule := range byRelease {
		if version.atLeast(rule.since) {
			flags = append(flags, rule.flags...)
		}
	}
	return flags
}

// mongodImage is the image of every member.
func mongodImage(spec benchv1alpha1.BenchmarkTargetSpec, operator settings.Settings) string {
	if spec.Image != nil {
		return *spec.Image
	}
	return fmt.Sprintf("%s:%s", operator.MongodImageRepository, ptr.Deref(spec.Version, ""))
}

// members is the number of mongods that are deployed.
func members(spec benchv1alpha1.BenchmarkTargetSpec) int {
	switch {
	case spec.Topology == benchv1alpha1.TopologyStandalone:
		return 1
	case spec.ReplicaSet != nil:
		return int(ptr.Deref(spec.ReplicaSet.Members, benchv1alpha1.DefaultMembers))
	default:
		return int(benchv1alpha1.DefaultMembers)
	}
}

// memberHosts are the addresses of all members.
func memberHosts(t *benchv1alpha1.BenchmarkTarget) []string {
	hosts := make([]string, 0, members(t.Spec))
	for i := range members(t.Spec) {
		hosts = append(hosts, naming.MemberHost(t.Name, t.Namespace, i))
	}
	return hosts
}

func storageSize(spec benchv1alpha1.BenchmarkTargetSpec) resource.Quantity {
	if spec.Storage != nil && spec.Storage.Size != nil {
		return spec.Storage.Size.DeepCopy()
	}
	return benchv1alpha1.DefaultStorageSize.DeepCopy()
}

// parseRelease reads the first two numbers of a version, whose form the API server has checked.
func parseRelease(version string) release {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var parsed release
	parsed.major, _ = strconv.Atoi(major)
	parsed.minor, _ = strconv.Atoi(minor)
	return parsed
}

func (r release) atLeast(other release) bool {
	return cmp.Or(cmp.Compare(r.major, other.major), cmp.Compare(r.minor, other.minor)) >= 0
}
