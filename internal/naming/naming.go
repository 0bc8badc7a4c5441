package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

const (
	// maxStatefulSetName leaves room in a label's 63 characters for the revision hash that the StatefulSet controller
	// appends; a longer name makes a StatefulSet whose pods are refused.
	maxStatefulSetName = 52
	// hashLength is the number of hexadecimal digits of a hash within a name.
	hashLength = 8
)

// What is the same in every target.
const (
	// ReplicaSet is the name of the replica set of a target that has no other, and the place of a standalone.
	ReplicaSet = "rs0"
	// ConfigSet is the name of the config servers' replica set.
	ConfigSet = "config"
	// MongosSet is the place of the routers, which are no replica set.
	MongosSet = "mongos"
	// ArbiterSet is the place of the arbiter of a replica set, apart from the members that hold data.
	ArbiterSet = "arbiter"
	// MongodPort is the port of every mongod.
	MongodPort = 27017
	// GatewayPort is the port of every gateway.
	GatewayPort = 7080
	// LoadDatabase is the database that the load user is created in.
	LoadDatabase = "admin"
)

// InstallationLease is the Lease that says which installation of the operator works in a namespace. It is not that by
// which the pods of an installation elect a leader, which may be in the same namespace.
const InstallationLease = "mongobench-installation"

// Keys within Secrets and ConfigMaps. Those of progress, report and topology result are in api/report.
const (
	KeyfileKey      = "keyfile"
	UsernameKey     = "username"
	PasswordKey     = "password"
	TopologyPlanKey = "topology.json"
	PlanKey         = "plan.json"
	// Keys of Secrets with certificates, as cert-manager has them.
	CAKey          = "ca.crt"
	CertificateKey = "tls.crt"
	PrivateKeyKey  = "tls.key"
	// CertificateFile holds a member's certificate and its key, beside the keyfile.
	CertificateFile = "member.pem"
)

// Names of containers, and of the pods' environment variables.
const (
	MongodContainer   = "mongod"
	MongosContainer   = "mongos"
	KeyfileContainer  = "keyfile"
	TopologyContainer = "topology"
	LoadContainer     = "load"
	CollectContainer  = "collect"
	GatewayContainer  = "gateway"

	NamespaceEnv = "POD_NAMESPACE"
	NodeEnv      = "MONGOBENCH_NODE_NAME"
	PodUIDEnv    = "MONGOBENCH_POD_UID"
	CPULimitEnv  = "MONGOBENCH_CPU_LIMIT_MILLIS"
	GoMemoryEnv  = "GOMEMLIMIT"
)

// KeyfileSecret is the Secret with the key that the members of a target know each other by.
func KeyfileSecret(target string) string { return target + "-keyfile" }

// AdminSecret is the Secret with the credentials of a target's root user, for people.
func AdminSecret(target string) string { return target + "-admin" }

// LoadSecret is the Secret with the credentials of the user that the load generator works as.
func LoadSecret(target string) string { return target + "-load" }

// ObserverSecret is the Secret with the credentials of the user that looks at the servers.
func ObserverSecret(target string) string { return target + "-observer" }

// ActionSecret is the Secret with the credentials of the user that carries out the actions of a workload.
func ActionSecret(target string) string { return target + "-action" }

// TLSSecret is the Secret with the certificate of a target's members, and the authority that signed it.
func TLSSecret(target string) string { return target + "-tls" }

// TargetNetworkPolicy is the NetworkPolicy that says who may reach a target's members.
func TargetNetworkPolicy(target string) string { return target + "-members" }

// ClosedNetworkPolicy is the NetworkPolicy by which nobody reaches the members of a target whom no other lets in.
func ClosedNetworkPolicy(target string) string { return target + "-closed" }

// ClientsNetworkPolicy is the NetworkPolicy that lets the clients of a target out to its members.
func ClientsNetworkPolicy(target string) string { return target + "-clients" }

// BaselineClientsNetworkPolicy is the same for load pods that have the target on the other side of a duet.
func BaselineClientsNetworkPolicy(target string) string { return target + "-baseline-clients" }

// PartitionNetworkPolicy is the NetworkPolicy that cuts members off in a run.
func PartitionNetworkPolicy(run string) string { return run + partitionSuffix }

// Workload is the object by which a run asks Kueue for room.
func Workload(run string) string { return run + "-workload" }

// RunOfPartition is the run that such a NetworkPolicy is named after.
func RunOfPartition(policy string) (run string, is bool) {
	return strings.CutSuffix(policy, partitionSuffix)
}

const partitionSuffix = "-partition"

// LoadBudget is the PodDisruptionBudget of a run's load pods.
func LoadBudget(run string) string { return run + "-load" }

// Gateway is the Job of the gateway that the load of a run goes through, its NetworkPolicy, and its
// PodDisruptionBudget.
func Gateway(run string) string { return run + "-gateway" }

// MembersBudget is the PodDisruptionBudget of the members that a run measures.
func MembersBudget(run string) string { return run + "-members" }

// BaselineBudget is that of the members of the other side of a run's duet.
func BaselineBudget(run string) string { return run + "-baseline" }

// MembersService is the headless Service that gives each member its DNS name.
func MembersService(target string) string { return target + "-members" }

// ShardSet is the name of the replica set of one shard.
func ShardSet(index int) string { return "shard" + strconv.Itoa(index) }

// TargetStatefulSet is the StatefulSet of one of a target's sets: a replica set, the standalone or the routers. A long
// name is cut and told apart by a hash.
func TargetStatefulSet(target, set string) string {
	if set == ReplicaSet {
		set = MongodContainer
	}
	return fit(target, "-"+set, maxStatefulSetName)
}

// MemberPod is the pod of one member of a set.
func MemberPod(target, set string, index int) string {
	return TargetStatefulSet(target, set) + "-" + strconv.Itoa(index)
}

// MemberHost is the address that one member of a set is reached at, with its port.
func MemberHost(target, namespace, set string, index int) string {
	return fmt.Sprintf("%s.%s.%s.svc:%d", MemberPod(target, set, index), MembersService(target), namespace, MongodPort)
}

// TopologyPlanConfigMap is the ConfigMap that tells the topology Job what to make; content is what it holds.
func TopologyPlanConfigMap(target string, content []byte) string {
	return target + "-topology-" + Hash(content)
}

// TopologyResultConfigMap is the ConfigMap that the topology Job answers in.
func TopologyResultConfigMap(target string) string { return target + "-topology-result" }

// TopologyJob is the Job that makes the topology, and its ServiceAccount, Role and RoleBinding.
func TopologyJob(target string) string { return target + "-topology" }

// PlanConfigMap is the ConfigMap that tells the load pods what to do; hash is that of the plan which it holds, in
// hexadecimal.
func PlanConfigMap(run, hash string) string {
	return run + "-plan-" + hash[:min(len(hash), hashLength)]
}

// GateConfigMap is the ConfigMap in which the start instants of the steps are published.
func GateConfigMap(run string) string { return run + "-gate" }

// PodConfigMapPrefix is what the names of the load pods' own ConfigMaps begin with.
func PodConfigMapPrefix(run string) string { return run + podInfix }

const podInfix = "-pod-"

// PodConfigMap is the ConfigMap that one load pod writes into.
func PodConfigMap(run string, index int) string { return run + podInfix + strconv.Itoa(index) }

// LoadJob is the Job of the load pods, and its ServiceAccount, Role and RoleBinding.
func LoadJob(run string) string { return run + "-load" }

// ReportConfigMap is the ConfigMap with the merged report, which stays.
func ReportConfigMap(run string) string { return run + "-report" }

// CollectedConfigMap is the ConfigMap in which the operator is told what the merged report comes to.
func CollectedConfigMap(run string) string { return run + "-collected" }

// CollectJob is the Job that collects the reports of a run whose load pod 0 is gone.
func CollectJob(run string) string { return run + "-collect" }

// SuiteResultConfigMap is the ConfigMap with the samples and the comparison of one revision of a suite.
func SuiteResultConfigMap(suite, revision string) string { return suite + "-" + revision }

// SuiteHistoryConfigMap is the ConfigMap with the figures of a suite's revisions.
func SuiteHistoryConfigMap(suite string) string { return suite + "-history" }

// InlineTarget is the BenchmarkTarget of a run that declares its own.
func InlineTarget(run string) string { return run }

// Hash is the short hash of a content that goes into a name.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:hashLength]
}

// fit appends a suffix to a name, and cuts a name that leaves too little room for it.
func fit(name, suffix string, limit int) string {
	if len(name)+len(suffix) <= limit {
		return name + suffix
	}
	hash := "-" + Hash([]byte(name))
	return name[:limit-len(suffix)-len(hash)] + hash + suffix
}

// What is the same in every MariaDB.
const (
	// ComponentMariaDB is the server.
	ComponentMariaDB Component = "mariadb"
	// MariaDBSet is the place of the one server.
	MariaDBSet = "mariadb"

	// MariaDBPort is that of SQL. The other two are those of HandlerSocket: one for reading, one for writing as well.
	MariaDBPort            = 3306
	HandlerSocketPort      = 9998
	HandlerSocketWritePort = 9999
)

// Keys of the Secret of the load, besides the user's name and password.
const (
	// URIKey holds the connection string with all that a client needs.
	URIKey = "uri"
	// ServerFileKey holds those settings of the server that are secrets.
	ServerFileKey = "server.cnf"
)

// Where the containers of a MariaDB's pod find what they are given.
const (
	// MariaDBDataPath is a folder within the volume: a volume may hold a lost+found, which is no database.
	MariaDBDataPath = DataPath + "/mariadb"
	// UsageFolder is the one folder that a statement can read files of, and UsageFile the one file in it: what the
	// server's process uses.
	UsageFolder = TemporaryPath + "/server"
	UsageFile   = UsageFolder + "/usage"
	// ToolsPath has the load generator's program, in containers of other images.
	ToolsPath = "/tools"
	// ServerPath has what the server may read of the Secret of the load.
	ServerPath = "/etc/mongobench/server"
)

// Names of the containers of a MariaDB's pod.
const (
	MariaDBContainer   = "mariadb"
	InstallContainer   = "install"
	BootstrapContainer = "bootstrap"
)

// SyncLatencyContainer measures how long the volume of a member takes to bring a block to its disk.
const SyncLatencyContainer = "sync-latency"

// MariaDBHost is the name that the server of a target is reached at, without a port.
func MariaDBHost(target, namespace string) string {
	return fmt.Sprintf("%s.%s.%s.svc", MemberPod(target, MariaDBSet, 0), MembersService(target), namespace)
}

// Labels of everything that the operator makes.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	NameLabel      = "app.kubernetes.io/name"
	ComponentLabel = "app.kubernetes.io/component"
	TargetLabel    = "mongobench.dev/target"
	RunLabel       = "mongobench.dev/run"
	SuiteLabel     = "mongobench.dev/suite"
	// SetLabel has the name of the set that a member belongs to.
	SetLabel = "mongobench.dev/set"
	// MemberLabel has the name of the target that a pod is a member of: it serves requests, and nothing else does.
	MemberLabel = "mongobench.dev/member-of"
	// CutAnnotation is on an object in the manager's memory, and nowhere else, that has more than is held there.
	CutAnnotation = "mongobench.dev/cut"
	// ClientLabel has the name of the target whose members a load pod may reach, and BaselineClientLabel that of the other
	// one of a duet.
	ClientLabel         = "mongobench.dev/client-of"
	BaselineClientLabel = "mongobench.dev/baseline-client-of"
	// DuetLabel is the same on targets that are measured in turns, and on their members, which are placed side by side.
	DuetLabel = "mongobench.dev/duet"

	// ManagedBy and Name are the values of the first two.
	ManagedBy = "mongobench-operator"
	Name      = "mongobench"
)

// Component is the part that an object plays, the value of ComponentLabel.
type Component string

// The parts that objects play.
const (
	// ComponentMongod holds data; ComponentConfig and ComponentMongos are the other parts of a sharded cluster.
	ComponentMongod Component = "mongod"
	ComponentConfig Component = "config-server"
	ComponentMongos Component = "mongos"
	// ComponentArbiter votes in a replica set, and holds no data.
	ComponentArbiter  Component = "arbiter"
	ComponentTopology Component = "topology"
	ComponentLoad     Component = "load"
	ComponentPlan     Component = "plan"
	ComponentGate     Component = "gate"
	ComponentReport   Component = "report"
	// ComponentStoredReport is a merged report. The operator never reads one, and does not hold them in memory.
	ComponentStoredReport Component = "stored-report"
	ComponentCollected    Component = "collected"
	ComponentCollect      Component = "collect"
	// ComponentGateway is the service between the load pods and the target.
	ComponentGateway Component = "gateway"
	// ComponentBudget keeps pods from being evicted while they are measured.
	ComponentBudget Component = "disruption-budget"
	// ComponentPartition cuts members off.
	ComponentPartition Component = "partition"
	// ComponentTarget is the BenchmarkTarget that a run makes for itself.
	ComponentTarget Component = "target"
	// ComponentSuiteResult holds the samples and the comparison of one revision of a suite, and ComponentSuiteHistory the
	// figures of many.
	ComponentSuiteResult  Component = "suite-result"
	ComponentSuiteHistory Component = "suite-history"
)

// ForTarget are the labels of an object that belongs to a target.
func ForTarget(target string, component Component) map[string]string {
	return labels(TargetLabel, target, component)
}

// ForRun are the labels of an object that belongs to a run.
func ForRun(run string, component Component) map[string]string {
	return labels(RunLabel, run, component)
}

// ForSuite are the labels of an object that belongs to a suite.
func ForSuite(name string, component Component) map[string]string {
	return labels(SuiteLabel, name, component)
}

// SelectSuite are the labels that find everything that belongs to a suite.
func SelectSuite(name string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, SuiteLabel: name}
}

// SelectTarget are the labels that find everything that belongs to a target.
func SelectTarget(target string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, TargetLabel: target}
}

// SelectRun are the labels that find everything that belongs to a run.
func SelectRun(run string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, RunLabel: run}
}

// SelectComponent are the labels that find one part of a target, as a StatefulSet's selector does.
func SelectComponent(target string, component Component) map[string]string {
	selector := SelectTarget(target)
	selector[ComponentLabel] = string(component)
	return selector
}

// ForMember are the labels of the pods of one of a target's sets.
func ForMember(target, set string, component Component) map[string]string {
	all := ForTarget(target, component)
	all[SetLabel] = set
	all[MemberLabel] = target
	return all
}

// SelectMembers are the labels that find the members of a target, of all sets, and none of its other pods.
func SelectMembers(target string) map[string]string {
	return map[string]string{MemberLabel: target}
}

// SelectSet are the labels that find the members of one set of a target.
func SelectSet(target, set string, component Component) map[string]string {
	selector := SelectComponent(target, component)
	selector[SetLabel] = set
	return selector
}

func labels(kind, owner string, component Component) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, kind: owner, NameLabel: Name, ComponentLabel: string(component)}
}
