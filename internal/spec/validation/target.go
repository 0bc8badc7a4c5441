package validation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
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
	if errs := validateMembers(declared, path); len(errs) > 0 {
		return errs
	}
	path = path.Child(declared.Member())
	c := targetCheck{Target: product.Target{Spec: declared, Normal: spec.NormaliseTarget(*declared), Path: path}}
	c.Add(ValidatePodSettings(declared.Pods(), path.Child("podSettings"))...)
	if declared.External != nil {
		c.external()
		return c.ErrorList // Nothing else is deployed than the topology Job.
	}
	known := c.version()
	c.images()
	c.resources()
	c.storage()
	c.disk()
	c.processors()
	c.spread()
	c.issuer()
	if known {
		c.Add(catalogue.Of(*declared).ValidateTarget(c.Target)...)
	}
	return c.ErrorList
}

// validateMembers refuses a target that is none, or two at a time. The schema refuses it too, but does not see what a
// patch of a suite makes of a target.
func validateMembers(declared *benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	var found product.Findings
	number := func(members ...bool) int { return len(slices.DeleteFunc(members, func(set bool) bool { return !set })) }
	const remove = "; a patch removes another with null"
	const one = "exactly one of mongodb, mariadb, ferretdb and external must be set"
	products := number(declared.MongoDB != nil, declared.MariaDB != nil, declared.FerretDB != nil,
		declared.External != nil)
	found.Forbid(products == 0, path, one+"; another was made for a later version of the operator")
	found.Forbid(products > 1, path, one+remove)
	path = path.Child(declared.Member())
	if mongodb := declared.MongoDB; mongodb != nil {
		found.Forbid(number(mongodb.Standalone != nil, mongodb.ReplicaSet != nil, mongodb.Sharded != nil) > 1, path,
			"at most one of standalone, replicaSet and sharded may be set"+remove)
	}
	if deployment := declared.Deployment(); deployment != nil && deployment.Storage != nil {
		found.Forbid(number(deployment.Storage.VolumeClaimTemplate != nil, deployment.Storage.EmptyDir != nil) > 1,
			path.Child("storage"), "at most one of volumeClaimTemplate and emptyDir may be set"+remove)
	}
	return found.ErrorList
}

// external refuses what cannot be said of an existing database of its product.
func (c *targetCheck) external() {
	external := c.Normal.External
	of, durability := *external.Product, external.Durability
	product.WantKnown(&c.Findings, external.Product, c.Path.Child("product"), slices.Sorted(maps.Keys(latest))...)
	tls := ptr.Deref(external.TLS, benchv1alpha1.ExternalTLS{})
	c.Forbid(of == benchv1alpha1.ProductMariaDB && tls.ClientCertificateSecretRef != nil,
		c.Path.Child("tls", "clientCertificateSecretRef"), "cannot be shown to a MariaDB; leave it out")
	path := c.Path.Child("durability")
	switch of {
	case benchv1alpha1.ProductMongoDB:
		product.WantKnown(&c.Findings, durability, path, benchv1alpha1.DurabilityNone, benchv1alpha1.DurabilityMemory,
			benchv1alpha1.DurabilitySynced, benchv1alpha1.DurabilityMajority)
	case benchv1alpha1.ProductMariaDB:
		product.WantKnown(&c.Findings, durability, path,
			benchv1alpha1.DurabilityMemory, benchv1alpha1.DurabilityOSCache, benchv1alpha1.DurabilitySynced)
	default:
		c.Forbid(durability != nil, path, "cannot be said of a %s; leave it out", of)
	}
}

// oldest are the first releases of each product that the operator knows. What a MongoDB of before 4.2 needs beside is
// checked for the product.
var oldest = map[benchv1alpha1.Product]mongod.Release{
	benchv1alpha1.ProductMongoDB:  {Major: 2},
	benchv1alpha1.ProductMariaDB:  {Major: 10, Minor: 11},
	benchv1alpha1.ProductFerretDB: {Major: 1, Minor: 24},
}

// latest are the last releases that this version of the operator knows the flags and the protocol of. The API takes
// later ones, so that only the operator has to change for them.
var latest = map[benchv1alpha1.Product]mongod.Release{
	benchv1alpha1.ProductMongoDB:  {Major: 9, Minor: 9},
	benchv1alpha1.ProductMariaDB:  {Major: 11, Minor: 99},
	benchv1alpha1.ProductFerretDB: {Major: 1, Minor: 24},
}

// version refuses releases that came after this version of the operator, and those before all that it knows: what else
// holds for them is not known.
func (c *targetCheck) version() bool {
	of, version, path := c.Normal.Product(), c.Spec.Version(), c.Path.Child("version")
	release := mongod.ParseRelease(version)
	early, late := !release.AtLeast(oldest[of]), !latest[of].AtLeast(release)
	c.Refuse(early, path, version, "must be %s or later for %s", oldest[of], of)
	c.Refuse(late, path, version,
		"is of a later %s than this version of the operator knows, which is up to %d.x", of, latest[of].Major)
	return !early && !late
}

func (c *targetCheck) images() {
	validateImage(&c.Findings, c.Spec.Deployment().Image, c.Path.Child("image"))
	if c.Spec.MongoDB == nil || c.Spec.MongoDB.Sharded == nil || c.Spec.MongoDB.Sharded.Mongos == nil {
		return
	}
	validateImage(&c.Findings, c.Spec.MongoDB.Sharded.Mongos.Image, c.Path.Child("sharded", "mongos", "image"))
}

func (c *targetCheck) resources() {
	validateResources(&c.Findings, c.Spec.Deployment().Resources, benchv1alpha1.DefaultMemberResources,
		c.Path.Child("resources"))
	declared := ptr.Deref(c.Spec.MongoDB, benchv1alpha1.MongoDBTarget{})
	path, sharded := c.Path.Child("sharded"), ptr.Deref(declared.Sharded, benchv1alpha1.ShardedSpec{})
	mongos := ptr.Deref(sharded.Mongos, benchv1alpha1.MongosSpec{})
	validateResources(&c.Findings, mongos.Resources, benchv1alpha1.DefaultMongosResources,
		path.Child("mongos", "resources"))
	servers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	validateResources(&c.Findings, servers.Resources, benchv1alpha1.DefaultConfigResources,
		path.Child("configServers", "resources"))
}

// storage refuses volumes that members cannot have, or that are too small for an idle server.
func (c *targetCheck) storage() {
	storage, path := c.Normal.Deployment().Storage, c.Path.Child("storage")
	if directory := storage.EmptyDir; directory != nil {
		path := path.Child("emptyDir")
		supported(&c.Findings, directory.Medium, path.Child("medium"), corev1.StorageMediumMemory)
		atLeast(&c.Findings, *directory.SizeLimit, leastStorage, path.Child("sizeLimit"))
		return
	}
	claim, path := storage.VolumeClaimTemplate.Spec, path.Child("volumeClaimTemplate", "spec")
	atLeast(&c.Findings, *claim.Resources.Requests.Storage(), leastStorage,
		path.Child("resources", "requests").Key(string(corev1.ResourceStorage)))
	for i, mode := range claim.AccessModes {
		supported(&c.Findings, mode, path.Child("accessModes").Index(i),
			corev1.ReadWriteOnce, corev1.ReadWriteOncePod)
	}
	const ofOne = "names one volume, and each member has its own; leave it out"
	c.Forbid(claim.VolumeName != "", path.Child("volumeName"), ofOne)
	const filled = "fills the volume, and a member begins with an empty one; leave it out"
	c.Forbid(claim.DataSource != nil, path.Child("dataSource"), filled)
	c.Forbid(claim.DataSourceRef != nil, path.Child("dataSourceRef"), filled)
	c.Forbid(ptr.Deref(claim.VolumeMode, "") == corev1.PersistentVolumeBlock, path.Child("volumeMode"),
		"must be Filesystem, or left out: a server keeps its data in files")
}

// disk wants room for the data where it is on the disk of the node, which evicts a pod that takes more than its limit.
func (c *targetCheck) disk() {
	deployment := c.Normal.Deployment()
	limit, limited := deployment.Resources.Limits[corev1.ResourceEphemeralStorage]
	volume := product.VolumeOf(c.Normal)
	c.Refuse(volume.Medium == product.MediumEmptyDir && limited && limit.Cmp(volume.Size) <= 0,
		c.Path.Child("resources", "limits").Key(string(corev1.ResourceEphemeralStorage)), limit.String(),
		"must be more than storage.emptyDir.sizeLimit, %s, which is on the disk of the node", &volume.Size)
}

// spread refuses a constraint in whose place placement has one: a pod can have one for a topology key and an effect.
func (c *targetCheck) spread() {
	deployment := c.Normal.Deployment()
	if deployment.PodSettings == nil {
		return
	}
	placement := deployment.Placement
	dealt := placement.MembersPerNode != nil || *placement.Spread == benchv1alpha1.SpreadRequired
	for i, constraint := range deployment.PodSettings.TopologySpreadConstraints {
		same := constraint.TopologyKey == corev1.LabelHostname && constraint.WhenUnsatisfiable == corev1.DoNotSchedule
		c.Forbid(dealt && same, c.Path.Child("podSettings", "topologySpreadConstraints").Index(i),
			"placement.membersPerNode and spread Required make a constraint of this topologyKey and whenUnsatisfiable; "+
				"leave one of the two out")
	}
}

// issuer wants one of cert-manager's own kinds.
func (c *targetCheck) issuer() {
	tls := ptr.Deref(ptr.Deref(c.Spec.Deployment().Security, benchv1alpha1.SecuritySpec{}).TLS, benchv1alpha1.TLSSpec{})
	product.WantKnown(&c.Findings, ptr.Deref(tls.IssuerRef, benchv1alpha1.IssuerReference{}).Kind,
		c.Path.Child("security", "tls", "issuerRef", "kind"),
		benchv1alpha1.IssuerKindIssuer, benchv1alpha1.IssuerKindClusterIssuer)
}

// processors wants what the kubelet wants for cores of one's own: whole ones, and requests that equal the limits. Unset
// requests are made equal.
func (c *targetCheck) processors() {
	deployment := c.Normal.Deployment()
	reserved := deployment.Placement.ReservedCPUs
	c.Refuse(reserved.Sign() < 0, c.Path.Child("placement", "reservedCPUs"), reserved.String(), "must not be negative")
	if *deployment.Placement.Pinning != benchv1alpha1.PinningExclusive {
		return
	}
	resources, path := deployment.Resources, c.Path.Child("resources")
	cores := resources.Limits.Cpu()
	c.Refuse(cores.MilliValue()%1000 != 0, path.Child("limits").Key(string(corev1.ResourceCPU)), cores.String(),
		"must be whole cores, such as \"1\", for placement.pinning Exclusive: a member gets cores of its own or none")
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := resources.Requests[name], resources.Limits[name]
		c.Refuse(request.Cmp(limit) != 0, path.Child("requests").Key(string(name)), request.String(),
			"must equal the limit, or be unset, for placement.pinning Exclusive")
	}
}
