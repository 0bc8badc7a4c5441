package mariadb

import (
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// MariaDB is one server. Its users are made before it starts (see pod.go), so that the topology Job only looks at it,
// by the connection string that load pods are given, once it works.
type MariaDB struct{}

// Traits implements product.Product.
func (MariaDB) Traits() product.Traits {
	return product.Traits{
		Product:         benchv1alpha1.ProductMariaDB,
		Program:         naming.MariaDBContainer,
		ImageRepository: "docker.io/library/mariadb",
		Component:       naming.ComponentMariaDB,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText,
			benchv1alpha1.ClientHandlerSocket,
		},
		PreparesItself:    true,
		Reported:          []string{reportv1.ProductMySQL},
		FlushesBySettings: true,
	}
}

// DefaultClient implements product.Product.
func (MariaDB) DefaultClient(benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.Client {
	return benchv1alpha1.ClientPrepared
}

// Normalise implements product.Product.
func (MariaDB) Normalise(target *benchv1alpha1.BenchmarkTargetSpec) {
	product.Default(&target.MariaDB.Durability, benchv1alpha1.DefaultMariaDBDurability)
	settings := target.MariaDB
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
	return ptr.Deref(spec.MariaDB, benchv1alpha1.MariaDBTarget{}).HandlerSocket
}

// Volumes of a MariaDB's pod, besides those of its data and of temporary files.
const (
	toolsVolume    = "tools"
	serverVolume   = "server"
	loadVolume     = "load"
	observerVolume = "observer"
)

// How often a server that has started is asked whether it works: seldom, since each time takes some of its own CPU.
// The kubelet asks the first time as soon as the startup probe has succeeded. Liveness is for HandlerSocket only, and
// judged slowly: a lock that a client holds keeps the one thread that writes as long as it is held.
const (
	probeSeconds = 60
	probeTimeout = 20
	probeMisses  = 3
)

// Pod puts together what makes a member a MariaDB. There may be no shell in its image, and its own files cannot be
// written, so the load generator's program is brought along: it makes the data before the server starts the first time,
// and asks whether the server works.
//
//	install       load generator's image: copies its program to a volume
//	bootstrap     MariaDB's image: runs that program, which makes the system tables and the users
//	mariadb       MariaDB's image: the program becomes the server, and is its probe; a process beside it writes down
//	              what the server uses, which the observer asks the server for
func (MariaDB) Pod(m product.Member) corev1.PodSpec {
	t := m.Target
	return corev1.PodSpec{
		SecurityContext: podspec.PodSecurity(podspec.MariaDBUser),
		InitContainers:  []corev1.Container{installContainer(m), bootstrapContainer(m)},
		Containers:      []corev1.Container{serverContainer(m)},
		Volumes: append(m.Set.DataVolumes(),
			product.EmptyDir(toolsVolume, corev1.EmptyDirVolumeSource{}),
			product.SecretVolume(serverVolume, naming.LoadSecret(t.Name), serverKeys(t)...),
			product.SecretVolume(loadVolume, naming.LoadSecret(t.Name), naming.UsernameKey, naming.PasswordKey),
			product.SecretVolume(observerVolume, naming.ObserverSecret(t.Name))),
	}
}

// serverKeys are what the server and its probe may read of the load's Secret.
func serverKeys(t *benchv1alpha1.BenchmarkTarget) []string {
	if pluginOf(t.Spec) == nil {
		return []string{naming.URIKey}
	}
	return []string{naming.URIKey, naming.ServerFileKey}
}

func installContainer(m product.Member) corev1.Container {
	return corev1.Container{
		Name:            naming.InstallContainer,
		Image:           m.Images.Loadgen,
		Args:            []string{"mariadb", "install", "--to", naming.ToolsPath},
		Resources:       m.Set.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    []corev1.VolumeMount{{Name: toolsVolume, MountPath: naming.ToolsPath}},
	}
}

func bootstrapContainer(m product.Member) corev1.Container {
	arguments := []string{
		"mariadb", "bootstrap", "--data", naming.MariaDBDataPath,
		"--load-credentials", naming.LoadPath, "--observer-credentials", naming.ObserverPath,
	}
	for _, database := range m.Target.Spec.MariaDB.Databases {
		arguments = append(arguments, "--database", database)
	}
	arguments = append(arguments, "--", "mariadbd")
	return corev1.Container{
		Name:            naming.BootstrapContainer,
		Image:           m.Images.Server(m.Target.Spec),
		Command:         []string{tool},
		Args:            append(arguments, bootstrapFlags(m.Target.Spec)...),
		Resources:       m.Set.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts: append(m.Set.DataMounts(),
			product.ReadOnly(toolsVolume, naming.ToolsPath),
			product.ReadOnly(loadVolume, naming.LoadPath),
			product.ReadOnly(observerVolume, naming.ObserverPath)),
	}
}

// arenas that the C library of a MyRocks server gives memory out of. By default there may be eight for each processor
// of the node, and what many threads free in one serves no other: with 64 connections on two processors, and a cache
// of 256 MiB, the server grew to 1,050 MiB and did not stop, and with two arenas it stayed at 750. Source: mallopt(3).
const arenas = "2"

// tool is the load generator's program in containers of MariaDB's image.
const tool = naming.ToolsPath + "/loadgen"

func serverContainer(m product.Member) corev1.Container {
	container := corev1.Container{
		Name:    naming.MariaDBContainer,
		Image:   m.Images.Server(m.Target.Spec),
		Command: []string{tool},
		Args: append([]string{"mariadb", "start", "--usage", naming.UsageFile, "--", "mariadbd"},
			serverFlags(m.Target.Spec, m.Set)...),
		Resources:       m.Set.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		// Which system variables there are only the server knows; what it says of a wrong one is the end of its log.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		StartupProbe:             loginProbe(1, 5, *m.Target.Spec.ProvisioningSeconds()),
		ReadinessProbe:           loginProbe(probeSeconds, probeTimeout, probeMisses),
		Ports:                    product.ContainerPorts(MariaDB{}.Ports(m.Target.Spec)),
		VolumeMounts: append(m.Set.DataMounts(),
			product.ReadOnly(toolsVolume, naming.ToolsPath), product.ReadOnly(serverVolume, naming.ServerPath)),
	}
	if engineOf(m.Target.Spec) == benchv1alpha1.MariaDBMyRocks {
		container.Env = []corev1.EnvVar{{Name: "MALLOC_ARENA_MAX", Value: arenas}}
	}
	if pluginOf(m.Target.Spec) != nil {
		container.LivenessProbe = loginProbe(probeSeconds, probeTimeout, probeMisses)
	}
	return container
}

// loginProbe logs in, and with HandlerSocket looks into a table through each of its ports: those take connections also
// when nothing would ever answer. A connection that is opened and closed, as a probe of the port would, counts as one
// that went wrong and is logged each time.
func loginProbe(period, timeout, misses int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{
			tool, "mariadb", "probe", "--uri-file", naming.ServerPath + "/" + naming.URIKey,
		}}},
		PeriodSeconds: period, TimeoutSeconds: timeout, SuccessThreshold: 1, FailureThreshold: misses,
	}
}

// Ports implements product.Product.
func (MariaDB) Ports(spec benchv1alpha1.BenchmarkTargetSpec) []product.Port {
	all := []product.Port{{Name: "mysql", Short: "mysql", Number: naming.MariaDBPort}}
	if pluginOf(spec) != nil {
		all = append(all,
			product.Port{Name: "handlersocket", Short: "hs-read", Number: naming.HandlerSocketPort},
			product.Port{Name: "handlersocket-write", Short: "hs-write", Number: naming.HandlerSocketWritePort})
	}
	return all
}
