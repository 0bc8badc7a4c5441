package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

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

// fillMariaDB puts into a member's pod what makes it a MariaDB. There may be no shell in its image, and its own files
// cannot be written, so the load generator's program is brought along: it makes the data before the server starts the
// first time, and asks whether the server works.
//
//	sync-latency  as for every member that holds data
//	install       load generator's image: copies its program to a volume
//	bootstrap     MariaDB's image: runs that program, which makes the system tables and the users
//	mariadb       MariaDB's image: the program becomes the server, and is its probe; a process beside it writes down
//	              what the server uses, which the observer asks the server for
func fillMariaDB(pod *corev1.PodSpec, t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) {
	pod.SecurityContext = podspec.PodSecurity(podspec.MariaDBUser)
	pod.InitContainers = append(syncContainers(s, operator),
		installContainer(s, operator), bootstrapContainer(t, s, operator))
	pod.Containers = []corev1.Container{mariaDBContainer(t, s, operator)}
	pod.Volumes = append(memberVolumes(t, s),
		emptyDir(toolsVolume, corev1.EmptyDirVolumeSource{}),
		keysOf(serverVolume, naming.LoadSecret(t.Name), serverKeys(t)),
		keysOf(loadVolume, naming.LoadSecret(t.Name), []string{naming.UsernameKey, naming.PasswordKey}),
		secretAt(observerVolume, naming.ObserverSecret(t.Name)))
}

// serverKeys are what the server and its probe may read of the load's Secret.
func serverKeys(t *benchv1alpha1.BenchmarkTarget) []string {
	if handlerSocket(t.Spec) == nil {
		return []string{naming.URIKey}
	}
	return []string{naming.URIKey, naming.ServerFileKey}
}

// keysOf is a volume with some keys of a Secret.
func keysOf(volume, secret string, keys []string) corev1.Volume {
	made := secretAt(volume, secret)
	for _, key := range keys {
		made.Secret.Items = append(made.Secret.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return made
}

func installContainer(s set, operator settings.Settings) corev1.Container {
	return corev1.Container{
		Name:            naming.InstallContainer,
		Image:           operator.LoadgenImage,
		Args:            []string{"mariadb", "install", "--to", naming.ToolsPath},
		Resources:       s.resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    []corev1.VolumeMount{{Name: toolsVolume, MountPath: naming.ToolsPath}},
	}
}

func bootstrapContainer(t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) corev1.Container {
	arguments := []string{
		"mariadb", "bootstrap", "--data", naming.MariaDBDataPath,
		"--load-credentials", naming.LoadPath, "--observer-credentials", naming.ObserverPath,
	}
	for _, database := range databases(t.Spec) {
		arguments = append(arguments, "--database", database)
	}
	arguments = append(arguments, "--", "mariadbd")
	return corev1.Container{
		Name:            naming.BootstrapContainer,
		Image:           mariaDBImage(t.Spec, operator),
		Command:         []string{mariaDBTool},
		Args:            append(arguments, bootstrapFlags(t.Spec)...),
		Resources:       s.resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts: append(memberMounts(s),
			readOnly(toolsVolume, naming.ToolsPath),
			readOnly(loadVolume, naming.LoadPath),
			readOnly(observerVolume, naming.ObserverPath)),
	}
}

// arenas that the C library of a MyRocks server gives memory out of. By default there may be eight for each processor
// of the node, and what many threads free in one serves no other: with 64 connections on two processors, and a cache
// of 256 MiB, the server grew to 1,050 MiB and did not stop, and with two arenas it stayed at 750. Source: mallopt(3).
const arenas = "2"

// mariaDBTool is the load generator's program in containers of MariaDB's image.
const mariaDBTool = naming.ToolsPath + "/loadgen"

func mariaDBContainer(t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) corev1.Container {
	container := corev1.Container{
		Name:    naming.MariaDBContainer,
		Image:   mariaDBImage(t.Spec, operator),
		Command: []string{mariaDBTool},
		Args: append([]string{"mariadb", "start", "--usage", naming.UsageFile, "--", "mariadbd"},
			mariaDBFlags(t.Spec, s)...),
		Resources:       s.resources,
		SecurityContext: podspec.ContainerSecurity(),
		// Which system variables there are only the server knows; what it says of a wrong one is the end of its log.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		StartupProbe: &corev1.Probe{
			ProbeHandler: loginProbe(), PeriodSeconds: 1, TimeoutSeconds: 5, SuccessThreshold: 1,
			FailureThreshold: provisioningSeconds(t.Spec),
		},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler: loginProbe(), PeriodSeconds: probeSeconds, TimeoutSeconds: probeTimeout, SuccessThreshold: 1,
			FailureThreshold: probeMisses,
		},
		VolumeMounts: append(memberMounts(s),
			readOnly(toolsVolume, naming.ToolsPath), readOnly(serverVolume, naming.ServerPath)),
	}
	for _, port := range memberPorts(t.Spec) {
		container.Ports = append(container.Ports, corev1.ContainerPort{
			Name: port.short, ContainerPort: port.number, Protocol: corev1.ProtocolTCP,
		})
	}
	if benchv1alpha1.EngineOfMariaDB(t.Spec) == benchv1alpha1.MariaDBMyRocks {
		container.Env = []corev1.EnvVar{{Name: "MALLOC_ARENA_MAX", Value: arenas}}
	}
	if handlerSocket(t.Spec) != nil {
		container.LivenessProbe = &corev1.Probe{
			ProbeHandler: loginProbe(), PeriodSeconds: probeSeconds, TimeoutSeconds: probeTimeout, SuccessThreshold: 1,
			FailureThreshold: probeMisses,
		}
	}
	return container
}

// loginProbe logs in, and with HandlerSocket looks into a table through each of its ports: those take connections also
// when nothing would ever answer. A connection that is opened and closed, as a probe of the port would, counts as one
// that went wrong and is logged each time.
func loginProbe() corev1.ProbeHandler {
	return corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{
		mariaDBTool, "mariadb", "probe", "--uri-file", naming.ServerPath + "/" + naming.URIKey,
	}}}
}

// memberPort is a port that the members of a target serve at.
type memberPort struct {
	// name in the Service, and short name in the container, which may have 15 characters.
	name, short string
	number      int32
}

// memberPorts are those of all members.
func memberPorts(spec benchv1alpha1.BenchmarkTargetSpec) []memberPort {
	if !benchv1alpha1.IsMariaDB(spec) {
		return []memberPort{{"mongodb", "mongodb", naming.MongodPort}}
	}
	all := []memberPort{{"mysql", "mysql", naming.MariaDBPort}}
	if handlerSocket(spec) != nil {
		all = append(all,
			memberPort{"handlersocket", "hs-read", naming.HandlerSocketPort},
			memberPort{"handlersocket-write", "hs-write", naming.HandlerSocketWritePort})
	}
	return slices.Clip(all)
}

// portNumbers are the numbers of all members' ports.
func portNumbers(spec benchv1alpha1.BenchmarkTargetSpec) []int32 {
	all := memberPorts(spec)
	numbers := make([]int32, 0, len(all))
	for _, port := range all {
		numbers = append(numbers, port.number)
	}
	return numbers
}
