package naming

// Where pods find what they are given.
const (
	DataPath            = "/data/db"
	KeyfileSecretPath   = "/secrets"
	CertificatePath     = "/certificate"
	MongodKeyfilePath   = "/keyfile"
	TemporaryPath       = "/tmp"
	TopologyPlanPath    = "/etc/mongobench/topology"
	TopologyKeyfilePath = "/etc/mongobench/keyfile"
	AdminPath           = "/etc/mongobench/admin"
	LoadPath            = "/etc/mongobench/load"
	URIPath             = "/etc/mongobench/uri"
	PlanPath            = "/etc/mongobench/plan"
	BaselinePath        = "/etc/mongobench/baseline"
	CredentialsPath     = "/etc/mongobench/credentials"
	ObserverPath        = "/etc/mongobench/observer"
	ActionPath          = "/etc/mongobench/action"
	CAPath              = "/etc/mongobench/ca"
	ClientPath          = "/etc/mongobench/client"
	PushPath            = "/etc/mongobench/push"
	LogsPath            = "/var/log/mongobench"
)
