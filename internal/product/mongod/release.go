package mongod

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// Release is the part of a version that decides what a mongod knows.
type Release struct {
	Major, Minor int
}

// ParseRelease reads the first two numbers of a version, whose form the API server has checked.
func ParseRelease(version string) Release {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var parsed Release
	parsed.Major, _ = strconv.Atoi(major)
	parsed.Minor, _ = strconv.Atoi(minor)
	return parsed
}

// AtLeast says whether a release is the other or a later one.
func (r Release) AtLeast(other Release) bool {
	return cmp.Or(cmp.Compare(r.Major, other.Major), cmp.Compare(r.Minor, other.Minor)) >= 0
}

func (r Release) String() string {
	return fmt.Sprintf("%d.%d", r.Major, r.Minor)
}

// EngineOfItsTime is the engine of a MongoDB before 3.0, which has one and knows no name for it.
const EngineOfItsTime = benchv1alpha1.EngineName("")

// firstWithEngines is the first release that has storage engines to choose from.
var firstWithEngines = Release{3, 0}

// Engine is the storage engine of the members of a target.
func Engine(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.EngineName {
	if spec.Engine != nil && spec.Engine.Name != nil {
		return *spec.Engine.Name
	}
	if !ParseRelease(ptr.Deref(spec.Version, "")).AtLeast(firstWithEngines) {
		return EngineOfItsTime
	}
	return benchv1alpha1.EngineWiredTiger
}

const (
	gibibyte = int64(1) << 30

	// leastCacheMebibytes is the smallest cache that mongod takes.
	leastCacheMebibytes = 256
)

// CacheMebibytes is what a member with this memory limit gives its storage engine: WiredTiger and InMemory by default
// half of what is above 1 GiB, at least 256 MiB. It is MongoDB's own rule, applied to the limit: a mongod before 4.4.14
// does not see the limit under cgroup v2, would size its cache by the node, and would be killed for it. A volume in
// memory is taken off before. TokuMX takes half of the limit, and the other engines know no such size, which is 0.
func CacheMebibytes(spec benchv1alpha1.BenchmarkTargetSpec, memory resource.Quantity) int64 {
	free := (memory.Value() - product.VolumeBytes(spec)) / product.Mebibyte
	if declared := declaredCache(spec); declared != nil {
		return *declared
	}
	switch Engine(spec) {
	case benchv1alpha1.EngineWiredTiger, benchv1alpha1.EngineInMemory:
		return max((free-gibibyte/product.Mebibyte)/2, leastCacheMebibytes)
	case benchv1alpha1.EngineTokuMX:
		return max(free/2, 0)
	default:
		return 0
	}
}

func declaredCache(spec benchv1alpha1.BenchmarkTargetSpec) *int64 {
	engine := ptr.Deref(spec.Engine, benchv1alpha1.EngineSpec{})
	switch Engine(spec) {
	case benchv1alpha1.EngineWiredTiger:
		return ptr.Deref(engine.WiredTiger, benchv1alpha1.WiredTigerSpec{}).CacheMebibytes
	case benchv1alpha1.EngineInMemory:
		return ptr.Deref(engine.InMemory, benchv1alpha1.InMemorySpec{}).SizeMebibytes
	case benchv1alpha1.EngineTokuMX:
		return ptr.Deref(engine.TokuMX, benchv1alpha1.TokuMXSpec{}).CacheMebibytes
	default:
		return nil
	}
}
