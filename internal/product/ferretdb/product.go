package ferretdb

import (
	"fmt"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	component naming.Component = "ferretdb"
	// program is that of the image, and name that of the one set.
	program = "ferretdb"
	name    = "ferretdb"
	// dataPath is a folder within the volume: a volume may hold a lost+found.
	dataPath = naming.DataPath + "/ferretdb"
)

// FerretDB is one server, which has no users.
type FerretDB struct{}

// Traits implements product.Product. FerretDB takes concerns and heeds none.
func (FerretDB) Traits() product.Traits {
	return product.Traits{
		Product:         benchv1alpha1.ProductFerretDB,
		Program:         program,
		ImageRepository: "ghcr.io/mongobench/ferretdb",
		Component:       component,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
		},
		PreparesItself: true,
	}
}

// DefaultClient implements product.Product.
func (FerretDB) DefaultClient(benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.Client {
	return benchv1alpha1.ClientApplication
}

// Normalise implements product.Product: a server has no users, so that it needs not be said.
func (FerretDB) Normalise(target *benchv1alpha1.BenchmarkTargetSpec) {
	product.Default(&product.Section(&target.FerretDB.Security).Authentication, benchv1alpha1.Disabled)
}

// Sets implements product.Product. SQLite's cache is a few megabytes for each connection, whatever the limit.
func (FerretDB) Sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	return []product.Set{product.DataSet(spec, name, component)}
}

// Ports implements product.Product.
func (FerretDB) Ports(benchv1alpha1.BenchmarkTargetSpec) []product.Port {
	return []product.Port{{Name: "mongodb", Short: "mongodb", Number: naming.MongodPort}}
}

// Secrets hold the connection string, which has no password in it.
func (f FerretDB) Secrets(t *benchv1alpha1.BenchmarkTarget, _ product.Credentials) []product.Secret {
	uri := url.URL{
		Scheme: "mongodb", Host: f.Sets(t.Spec)[0].Hosts(t)[0], Path: "/", RawQuery: "directConnection=true",
	}
	return []product.Secret{{
		Name: naming.LoadSecret(t.Name), Data: map[string][]byte{naming.URIKey: []byte(uri.String())},
	}}
}

// Connection implements product.Product.
func (FerretDB) Connection(t *benchv1alpha1.BenchmarkTarget) benchv1alpha1.TargetConnection {
	return benchv1alpha1.TargetConnection{
		URISecretRef: &benchv1alpha1.SecretKeyReference{Name: naming.LoadSecret(t.Name), Key: naming.URIKey},
	}
}

// Pod implements product.Product.
func (f FerretDB) Pod(m product.Member) corev1.PodSpec {
	return corev1.PodSpec{
		SecurityContext: podspec.PodSecurity(podspec.LoadgenUser),
		Containers: []corev1.Container{{
			Name:            program,
			Image:           m.Images.Server(m.Target.Spec),
			Command:         []string{program},
			Args:            []string{fmt.Sprintf("--listen=:%d", naming.MongodPort), "--data=" + dataPath},
			Resources:       m.Set.Resources,
			SecurityContext: podspec.ContainerSecurity(),
			Ports:           product.ContainerPorts(f.Ports(m.Target.Spec)),
			StartupProbe:    product.StartupProbe(m.Target.Spec),
			ReadinessProbe:  product.ReadinessProbe(),
			VolumeMounts:    m.Set.DataMounts(),
		}},
		Volumes: m.Set.DataVolumes(),
	}
}

// leastMebibytes is what a server is given at least, beside a volume in memory.
const leastMebibytes = 256

// ValidateTarget implements product.Product.
func (FerretDB) ValidateTarget(target product.Target) field.ErrorList {
	security, path := target.Normal.FerretDB.Security, target.Path.Child("security")
	var found product.Findings
	version := target.Spec.Version()
	found.Refuse(strings.Count(version, ".") < 2, target.Path.Child("version"), version,
		"must have a patch, such as 1.24.0: there are no images of %s alone", version)
	found.Refuse(*security.Authentication != benchv1alpha1.Disabled, path.Child("authentication"),
		*security.Authentication, "must be Disabled: a FerretDB is deployed without users")
	found.Refuse(*security.TLS.Mode != benchv1alpha1.TLSDisabled, path.Child("tls", "mode"), *security.TLS.Mode,
		"must be Disabled: a FerretDB is deployed without TLS")
	limit := target.Normal.FerretDB.Resources.Limits.Memory()
	least := leastMebibytes + product.VolumeBytes(target.Normal)/product.Mebibyte
	found.Refuse(limit.Value() < least*product.Mebibyte, target.Path.Child("resources", "limits").Key("memory"),
		limit.String(), "must be at least %dMi, or the server is killed while it is loaded", least)
	return found.ErrorList
}

// check checks a run.
type check struct {
	product.Run
	product.Findings
}

// ValidateRun implements product.Product.
func (FerretDB) ValidateRun(run product.Run) field.ErrorList {
	c := &check{Run: run}
	for i := range run.Spec.Dataset.Collections {
		c.collection(&run.Spec.Dataset.Collections[i], run.Path.Child("dataset", "collections").Index(i))
	}
	c.EachOperation(run, "must be Never with FerretDB, which cannot tell a write that is sent again",
		func(path *field.Path, step, index int) {
			c.operation(&run.Spec.Workload.Steps[step].Operations[index], path)
		})
	return c.ErrorList
}

// cannot refuses what there is not.
func (c *check) cannot(have bool, path *field.Path, value any, why string) {
	c.Refuse(have, path, value, "cannot be had with FerretDB, which %s; leave it out", why)
}

func (c *check) collection(declared *benchv1alpha1.Collection, path *field.Path) {
	c.Forbid(declared.Sharding != nil, path.Child("sharding"), "a FerretDB has no shards; leave it out")
	c.options(ptr.Deref(declared.Options, benchv1alpha1.CollectionOptions{}), path.Child("options"))
	c.Forbid(declared.View != nil, path.Child("view"), "a FerretDB makes no views; leave it out")
	for i := range declared.Indexes {
		c.index(&declared.Indexes[i], path.Child("indexes").Index(i))
	}
}

// options refuses those that FerretDB does not have.
func (c *check) options(options benchv1alpha1.CollectionOptions, path *field.Path) {
	c.cannot(options.Compressor != nil, path.Child("compressor"), options.Compressor, "compresses nothing")
	for _, option := range []struct {
		name     string
		declared bool
	}{
		{"clustered", options.Clustered != nil},
		{"timeSeries", options.TimeSeries != nil},
		{"collation", options.Collation != nil},
		{"validator", options.Validator != nil},
		{"changeStreamPreAndPostImages", options.ChangeStreamPreAndPostImages != nil},
	} {
		c.Forbid(option.declared, path.Child(option.name),
			"cannot be had with FerretDB, which makes plain and capped collections; leave it out")
	}
}

// index refuses what SQLite has no index for, or FerretDB takes and ignores.
func (c *check) index(declared *benchv1alpha1.Index, path *field.Path) {
	for i, key := range declared.Keys {
		kind := ptr.Deref(key.Type, "")
		plain := kind == "" || kind == benchv1alpha1.IndexKeyAscending || kind == benchv1alpha1.IndexKeyDescending
		c.Refuse(!plain, path.Child("keys").Index(i).Child("type"),
			key.Type, "must be Ascending or Descending with FerretDB")
	}
	for i, property := range declared.Properties {
		c.cannot(property != benchv1alpha1.IndexUnique, path.Child("properties").Index(i), property, "ignores it")
	}
	c.cannot(declared.ExpireAfterSeconds != nil, path.Child("expireAfterSeconds"), declared.ExpireAfterSeconds,
		"removes no documents by their age")
	c.Forbid(declared.PartialFilter != "", path.Child("partialFilter"),
		"cannot be had with FerretDB, whose indexes are of all documents; leave it out")
	c.Forbid(declared.Collation != nil, path.Child("collation"),
		"cannot be had with FerretDB, which compares bytes; leave it out")
}

// operation refuses kinds that there are not, and concerns, which FerretDB takes and does not heed.
func (c *check) operation(declared *benchv1alpha1.Operation, path *field.Path) {
	c.Refuse(operation.Of(declared.Kind).ReplicaSet || declared.Kind == benchv1alpha1.OperationTail,
		path.Child("kind"), declared.Kind, "FerretDB does no such operation")
	c.cannot(declared.ReadConcern != "", path.Child("readConcern"), declared.ReadConcern, "heeds none")
	c.cannot(declared.ReadPreference != "", path.Child("readPreference"), declared.ReadPreference, "is one server")
	c.Forbid(declared.WriteConcern != nil, path.Child("writeConcern"), "FerretDB heeds none; leave it out")
}
