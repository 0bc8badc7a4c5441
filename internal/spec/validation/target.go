package validation

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// targetCheck checks what holds for every product.
type targetCheck struct {
	product.Findings
	product.Target
}

// ValidateTarget finds what is wrong with a target that the API server accepted.
func ValidateTarget(target *benchv1alpha1.BenchmarkTarget) field.ErrorList {
	return validateTargetSpec(&target.Spec, field.NewPath("spec"))
}

func validateTargetSpec(declared *benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	pods := ValidatePodSettings(declared.PodSettings, path.Child("podSettings"))
	if declared.Topology == benchv1alpha1.TopologyExternal {
		return pods // Nothing else is deployed than the topology Job.
	}
	c := targetCheck{Target: product.Target{Spec: declared, Normal: spec.NormaliseTarget(*declared), Path: path}}
	c.Add(pods...)
	c.version()
	c.resources()
	c.disk()
	c.pinning()
	c.spread()
	c.issuer()
	c.Add(catalogue.Of(*declared).ValidateTarget(c.Target)...)
	return c.ErrorList
}

// latest are the last releases that this version of the operator knows the flags and the protocol of. The API takes
// later ones, so that only the operator has to change for them.
var latest = map[benchv1alpha1.TargetKind]mongod.Release{
	benchv1alpha1.TargetMongoDB:  {Major: 8, Minor: 9},
	benchv1alpha1.TargetMariaDB:  {Major: 11, Minor: 99},
	benchv1alpha1.TargetFerretDB: {Major: 1, Minor: 24},
}

// version refuses releases that came after this version of the operator.
func (c *targetCheck) version() {
	kind := *c.Normal.Kind
	known, version := latest[kind], ptr.Deref(c.Spec.Version, "")
	c.Refuse(!known.AtLeast(mongod.ParseRelease(version)), c.Path.Child("version"), version,
		"is of a later %s than this version of the operator knows, which is up to %d.x", kind, known.Major)
}

func (c *targetCheck) resources() {
	validateResources(&c.Findings, c.Spec.Resources, benchv1alpha1.DefaultMemberResources, c.Path.Child("resources"))
	path, sharded := c.Path.Child("sharded"), ptr.Deref(c.Spec.Sharded, benchv1alpha1.ShardedSpec{})
	mongos := ptr.Deref(sharded.Mongos, benchv1alpha1.MongosSpec{})
	validateResources(&c.Findings, mongos.Resources, benchv1alpha1.DefaultMongosResources,
		path.Child("mongos", "resources"))
	servers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	validateResources(&c.Findings, servers.Resources, benchv1alpha1.DefaultConfigResources,
		path.Child("configServers", "resources"))
}

// validateResources compares requests with limits of which one is unset; CEL has compared those that are both set.
func validateResources(
	found *product.Findings, declared *benchv1alpha1.PodResources, defaults benchv1alpha1.PodResources, path *field.Path,
) {
	if declared == nil {
		return
	}
	compare := func(name string, request, limit, byDefault *resource.Quantity) {
		found.Refuse(request != nil && limit == nil && request.Cmp(*byDefault) > 0, path.Child(name+"Request"),
			request.String(), "must be no more than %s, which is %s when unset", name, byDefault)
	}
	compare("cpu", declared.CPURequest, declared.CPU, defaults.CPU)
	compare("memory", declared.MemoryRequest, declared.Memory, defaults.Memory)
}

// disk wants room for the data where it is on the disk of the node, which evicts a pod that takes more than its limit.
func (c *targetCheck) disk() {
	limit, size := c.Normal.Resources.EphemeralStorage, c.Normal.Storage.Size
	onDisk := *c.Normal.Storage.Medium == benchv1alpha1.StorageMediumEmptyDir
	c.Refuse(onDisk && limit != nil && limit.Cmp(*size) <= 0, c.Path.Child("resources", "ephemeralStorage"),
		limit.String(), "must be more than storage.size, %s, which with medium EmptyDir is on the disk of the node", size)
}

// spread refuses a constraint in whose place placement has one: a pod can have one for a topology key and an effect.
func (c *targetCheck) spread() {
	if c.Normal.PodSettings == nil {
		return
	}
	dealt := c.Normal.Placement.ShardsPerNode != nil || *c.Normal.Placement.Spread == benchv1alpha1.SpreadRequired
	for i, constraint := range c.Normal.PodSettings.TopologySpreadConstraints {
		same := constraint.TopologyKey == corev1.LabelHostname && constraint.WhenUnsatisfiable == corev1.DoNotSchedule
		c.Forbid(dealt && same, c.Path.Child("podSettings", "topologySpreadConstraints").Index(i),
			"placement.shardsPerNode and spread Required make a constraint of this topologyKey and whenUnsatisfiable; "+
				"leave one of the two out")
	}
}

// issuer wants one of cert-manager's own kinds.
func (c *targetCheck) issuer() {
	tls := ptr.Deref(ptr.Deref(c.Spec.Security, benchv1alpha1.SecuritySpec{}).TLS, benchv1alpha1.TLSSpec{})
	product.WantKnown(&c.Findings, ptr.Deref(tls.IssuerRef, benchv1alpha1.IssuerReference{}).Kind,
		c.Path.Child("security", "tls", "issuerRef", "kind"),
		benchv1alpha1.IssuerKindIssuer, benchv1alpha1.IssuerKindClusterIssuer)
}

// pinning wants what the kubelet wants for cores of one's own: whole ones, and requests that equal the limits. Unset
// requests are made equal.
func (c *targetCheck) pinning() {
	placement := ptr.Deref(c.Spec.Placement, benchv1alpha1.PlacementSpec{})
	if ptr.Deref(placement.Pinning, "") != benchv1alpha1.PinningExclusive {
		return
	}
	resources, path := c.Normal.Resources, c.Path.Child("resources")
	c.Refuse(resources.CPU.MilliValue()%1000 != 0, path.Child("cpu"), resources.CPU.String(),
		"must be whole cores, such as \"1\", for placement.pinning Exclusive: a member gets cores of its own or none")
	equal := func(name string, request, limit *resource.Quantity) {
		c.Refuse(request != nil && request.Cmp(*limit) != 0, path.Child(name+"Request"), request.String(),
			"must equal %s, or be unset, for spec.placement.pinning Exclusive", name)
	}
	equal("cpu", resources.CPURequest, resources.CPU)
	equal("memory", resources.MemoryRequest, resources.Memory)
}
