package ferretdb

import (
	"fmt"
	"net/url"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
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
		Kind:            benchv1alpha1.TargetFerretDB,
		Program:         program,
		ImageRepository: "ghcr.io/mongobench/ferretdb",
		Component:       component,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientAuto, benchv1alpha1.ClientWire, benchv1alpha1.ClientDriver,
		},
		PreparesItself: true,
	}
}

// Normalise implements product.Product: there are no settings of its own.
func (FerretDB) Normalise(*benchv1alpha1.BenchmarkTargetSpec) {}

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
