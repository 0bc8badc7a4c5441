package decide

import (
	"fmt"
	"strconv"

	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// orphanCleanupSeconds is how long a shard keeps what it gave away: as short as there is without cutting off the
// queries that still read it.
const orphanCleanupSeconds = "1"

// flags collects what one mongod is given. What the table of internal/product/mongod does not have, or not for this release and
// engine, is left out.
type flags struct {
	release mongod.Release
	engine  benchv1alpha1.EngineName
	list    []string
}

// add gives an argument, with its value or alone.
func (f *flags) add(name string, value ...string) {
	if option, ok := mongod.Find(mongod.Argument, name); ok && option.KnownTo(f.release, f.engine) {
		f.list = append(append(f.list, "--"+name), value...)
	}
}

// set gives a parameter.
func (f *flags) set(name, value string) {
	if option, ok := mongod.Find(mongod.Parameter, name); ok && option.KnownTo(f.release, f.engine) {
		f.list = append(f.list, setParameter(name, value)...)
	}
}

// knows says whether a mongod of this release and engine has an argument.
func (f *flags) knows(name string) bool {
	option, ok := mongod.Find(mongod.Argument, name)
	return ok && option.KnownTo(f.release, f.engine)
}

func setParameter(name, value string) []string {
	return []string{"--setParameter", name + "=" + value}
}

// mongodFlags are the arguments of every member of a set. Diagnostic data collection stays on: it costs little, and is
// what an expert asks for when a figure is odd.
func mongodFlags(spec benchv1alpha1.BenchmarkTargetSpec, s set) []string {
	f := flags{release: releaseOf(spec), engine: engineOf(spec, s)}
	f.add("dbpath", naming.DataPath)
	f.add("port", strconv.Itoa(naming.MongodPort))
	if f.knows("bind_ip_all") {
		f.add("bind_ip_all")
	} else {
		f.add("bind_ip", "0.0.0.0")
	}
	f.add("nounixsocket")
	f.addEngine(spec, s)
	f.list = append(f.list, securityFlags(spec)...)
	f.list = append(f.list, setFlags(spec, s)...)
	f.set("shutdownTimeoutMillisForSignaledShutdown", "0")
	if s.givesAway(spec) {
		f.set("orphanCleanupDelaySecs", orphanCleanupSeconds)
	}
	if s.holdsData() {
		for _, parameter := range spec.Parameters {
			f.list = append(f.list, setParameter(parameter.Name, parameter.Value)...)
		}
		f.list = append(f.list, spec.Arguments...)
	}
	return f.list
}

// givesAway says whether the balancer may take documents from the set.
func (s set) givesAway(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return !routedByClient(spec) && (s.role == planv1alpha1.RoleShard || s.role == planv1alpha1.RoleConfigShard)
}

// engineOf is the storage engine of a set. Config servers are not what is measured, and there is none but WiredTiger
// for them.
func engineOf(spec benchv1alpha1.BenchmarkTargetSpec, s set) benchv1alpha1.EngineName {
	if s.role == planv1alpha1.RoleConfig {
		return benchv1alpha1.EngineWiredTiger
	}
	return mongod.Engine(spec)
}

func releaseOf(spec benchv1alpha1.BenchmarkTargetSpec) mongod.Release {
	return mongod.ParseRelease(ptr.Deref(spec.Version, ""))
}

// mongodImage is the image of every member.
func mongodImage(spec benchv1alpha1.BenchmarkTargetSpec, operator settings.Settings) string {
	if spec.Image != nil {
		return *spec.Image
	}
	return fmt.Sprintf("%s:%s", operator.MongodImageRepository, ptr.Deref(spec.Version, ""))
}
