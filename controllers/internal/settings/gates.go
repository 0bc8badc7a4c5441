package settings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// Gate turns an experimental feature on or off. What is behind one may change or go between two versions.
type Gate string

// The gates. Each is for something that was not run as its users will run it.
const (
	// GateFerretDB is FerretDB.
	GateFerretDB Gate = "FerretDB"
	// GateHandlerSocket is MariaDB's plugin, and the client that speaks to it.
	GateHandlerSocket Gate = "HandlerSocket"
	// GateLegacyServers is MongoDB before 4.2, and TokuMX. Only stand-ins for them were run.
	GateLegacyServers Gate = "LegacyServers"
	// GateMongoDBCommunity is targets that the MongoDB Community Operator deploys. Tests play it.
	GateMongoDBCommunity Gate = "MongoDBCommunity"
	// GateRouterClient is load pods in place of the routers of a sharded cluster.
	GateRouterClient Gate = "RouterClient"
)

// onByDefault are the gates that are known. One that is on by default is a beta, one that is off an alpha.
var onByDefault = map[Gate]bool{
	GateFerretDB: true, GateHandlerSocket: true, GateLegacyServers: true, GateMongoDBCommunity: true,
	GateRouterClient: true,
}

// Gates are those that were set; the others are as by default.
type Gates map[Gate]bool

// ParseGates reads "NAME=true,NAME=false". A gate that is not known, or no truth value, is an error.
func ParseGates(list string) (Gates, error) {
	parsed := Gates{}
	for text := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		gate := Gate(strings.TrimSpace(name))
		if _, known := onByDefault[gate]; !known {
			return nil, fmt.Errorf("no feature gate is called %q; there are %s", gate, KnownGates())
		}
		on, err := strconv.ParseBool(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("%s=%s: must be true or false", gate, value)
		}
		parsed[gate] = on
	}
	return parsed, nil
}

// KnownGates are all gates with what they are by default, "NAME=true, NAME=false".
func KnownGates() string {
	all := make([]string, 0, len(onByDefault))
	for _, gate := range slices.Sorted(maps.Keys(onByDefault)) {
		all = append(all, fmt.Sprintf("%s=%t", gate, onByDefault[gate]))
	}
	return strings.Join(all, ", ")
}

// Enabled says whether a feature may be used.
func (g Gates) Enabled(gate Gate) bool {
	on, set := g[gate]
	if !set {
		on = onByDefault[gate]
	}
	return on
}

// Refuse finds the fields of a run's specification whose gate is off.
func (g Gates) Refuse(run benchv1alpha1.BenchmarkRunSpec) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec")
	if generator := run.LoadGenerator; generator != nil {
		errs = g.check(errs, GateHandlerSocket, ptr.Deref(generator.Client, "") == benchv1alpha1.ClientHandlerSocket,
			path.Child("loadGenerator", "client"))
	}
	if run.Target != nil {
		errs = append(errs, g.RefuseTarget(*run.Target, path.Child("target"))...)
	}
	return errs
}

// RefuseTarget finds those of a target's, whose specification is at a path.
func (g Gates) RefuseTarget(target benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	member := path.Child(target.Member())
	external := ptr.Deref(target.External, benchv1alpha1.ExternalTarget{})
	errs := g.check(nil, GateFerretDB, target.FerretDB != nil, member)
	errs = g.check(errs, GateFerretDB, ptr.Deref(external.Product, "") == benchv1alpha1.ProductFerretDB,
		member.Child("product"))
	mariaDB := ptr.Deref(target.MariaDB, benchv1alpha1.MariaDBTarget{})
	errs = g.check(errs, GateHandlerSocket, mariaDB.HandlerSocket != nil, member.Child("handlerSocket"))
	if target.MongoDB != nil {
		errs = append(errs, g.refuseMongoDB(*target.MongoDB, member)...)
	}
	return errs
}

func (g Gates) refuseMongoDB(target benchv1alpha1.MongoDBTarget, path *field.Path) field.ErrorList {
	engine := ptr.Deref(ptr.Deref(target.Engine, benchv1alpha1.EngineSpec{}).Name, "")
	sharded := ptr.Deref(target.Sharded, benchv1alpha1.ShardedSpec{})
	tokuMX := engine == benchv1alpha1.EngineTokuMX
	old := !tokuMX && !mongod.ParseRelease(target.Version).AtLeast(mongod.OldestOfDriver)
	errs := g.check(nil, GateMongoDBCommunity,
		ptr.Deref(target.Provider, "") == benchv1alpha1.ProviderMongoDBCommunity, path.Child("provider"))
	errs = g.check(errs, GateLegacyServers, tokuMX, path.Child("engine", "name"))
	errs = g.check(errs, GateLegacyServers, old, path.Child("version"))
	return g.check(errs, GateRouterClient,
		ptr.Deref(sharded.Router, "") == benchv1alpha1.RouterClient, path.Child("sharded", "router"))
}

func (g Gates) check(errs field.ErrorList, gate Gate, used bool, path *field.Path) field.ErrorList {
	if !used || g.Enabled(gate) {
		return errs
	}
	return append(errs, field.Forbidden(path, fmt.Sprintf(
		"it is experimental, and the operator was started with the feature gate %s off; ask whoever runs it", gate)))
}
