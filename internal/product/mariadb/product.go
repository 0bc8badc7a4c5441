package mariadb

import (
	"net"
	"net/url"
	"strconv"

	"k8s.io/utils/ptr"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// MariaDB is one server. Its users are made before it starts (see pod.go), so that the topology Job only looks at it,
// by the connection string that load pods are given, once it works.
type MariaDB struct{}

// Traits implements product.Product.
func (MariaDB) Traits() product.Traits {
	return product.Traits{
		Kind:            benchv1alpha1.TargetMariaDB,
		Program:         naming.MariaDBContainer,
		ImageRepository: "docker.io/library/mariadb",
		Component:       naming.ComponentMariaDB,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientAuto, benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText,
			benchv1alpha1.ClientHandlerSocket,
		},
		PreparesItself:    true,
		Reported:          []string{reportv1.ProductMySQL},
		FlushesBySettings: true,
	}
}

// Normalise implements product.Product.
func (MariaDB) Normalise(target *benchv1alpha1.BenchmarkTargetSpec) {
	product.Default(&target.Durability, benchv1alpha1.DefaultMariaDBDurability)
	settings := product.Section(&target.MariaDB)
	product.Default(&settings.Engine, benchv1alpha1.DefaultMariaDBEngine)
	if settings.HandlerSocket != nil {
		product.Default(&settings.HandlerSocket.ReadThreads, benchv1alpha1.DefaultReadThreads)
		product.Default(&settings.HandlerSocket.WriteThreads, benchv1alpha1.DefaultWriteThreads)
	}
}

// Sets implements product.Product.
func (MariaDB) Sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	only := product.DataSet(spec, naming.MariaDBSet, naming.ComponentMariaDB)
	only.CacheMebibytes = BufferPoolMebibytes(spec, *only.Resources.Limits.Memory())
	return []product.Set{only}
}

// Secrets hold the two users, all that a client needs, and those settings of the server that are secrets. The last two
// are in one Secret, because they have to agree and Secrets are made one by one.
func (MariaDB) Secrets(t *benchv1alpha1.BenchmarkTarget, fresh product.Credentials) []product.Secret {
	load := product.Login(naming.LoadSecret(t.Name), product.LoadUser, fresh.LoadPassword)
	load.Data[naming.URIKey] = []byte(connectionString(t, fresh))
	if pluginOf(t.Spec) != nil {
		load.Data[naming.ServerFileKey] = []byte(serverFile(fresh))
	}
	return []product.Secret{
		load, product.Login(naming.ObserverSecret(t.Name), product.ObserverUser, fresh.ObserverPassword),
	}
}

// Connection implements product.Product.
func (MariaDB) Connection(t *benchv1alpha1.BenchmarkTarget) benchv1alpha1.TargetConnection {
	return benchv1alpha1.TargetConnection{
		URISecretRef:                  &benchv1alpha1.SecretKeyReference{Name: naming.LoadSecret(t.Name), Key: naming.URIKey},
		ObserverCredentialsSecretName: new(naming.ObserverSecret(t.Name)),
	}
}

// connectionString is the connection string, which holds passwords.
func connectionString(t *benchv1alpha1.BenchmarkTarget, fresh product.Credentials) string {
	options := url.Values{}
	if pluginOf(t.Spec) != nil {
		options.Set("handlersocketPort", strconv.Itoa(naming.HandlerSocketPort))
		options.Set("handlersocketWritePort", strconv.Itoa(naming.HandlerSocketWritePort))
		options.Set("handlersocketSecret", string(fresh.HandlerSocketSecret))
	}
	uri := url.URL{
		Scheme: "mysql", User: url.UserPassword(product.LoadUser, string(fresh.LoadPassword)), Path: "/",
		Host:     net.JoinHostPort(naming.MariaDBHost(t.Name, t.Namespace), strconv.Itoa(naming.MariaDBPort)),
		RawQuery: options.Encode(),
	}
	return uri.String()
}

// engineOf is the engine that a server makes its tables with.
func engineOf(spec benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.MariaDBEngine {
	return *spec.MariaDB.Engine
}

// pluginOf are the settings of the plugin; nil where it is not asked for.
func pluginOf(spec benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.HandlerSocketSpec {
	return ptr.Deref(spec.MariaDB, benchv1alpha1.MariaDBSpec{}).HandlerSocket
}
