package mongod

const (
	byDefault = "the operator depends on what it is by default"
	output    = "a pod's mongod stays in the foreground and writes its log to its standard output"
	otherTask = "mongod would do something else than serve"
)

// kept are options that neither the operator nor anybody else gives.
var kept = []Option{
	{Name: "setParameter", Kind: Argument, Field: "parameters"},
	{Name: "config", Kind: Argument, Field: "arguments"},
	{Name: "configExpand", Kind: Argument, Why: byDefault},
	{Name: "journal", Kind: Argument, Field: wholeEngine + ".journal"},
	{Name: "syncdelay", Kind: Parameter, Field: wholeEngine + ".checkpointSeconds"},
	{Name: "journalCommitInterval", Kind: Parameter, Field: wholeEngine + ".journalCommitMillis"},
	{Name: "wiredTigerEngineRuntimeConfig", Kind: Parameter, Field: wholeEngine},
	{Name: "master", Kind: Argument, Field: "topology"},
	{Name: "slave", Kind: Argument, Field: "topology"},
	{Name: "serverless", Kind: Argument, Field: "topology"},
	// Since 5.0 mongod refuses it. With EphemeralForTest before that, a change stream ends the server.
	{Name: "enableMajorityReadConcern", Kind: Argument, Why: byDefault},

	{Name: "auth", Kind: Argument, Field: "security.authentication"},
	{Name: "noauth", Kind: Argument, Field: "security.authentication"},
	{Name: "transitionToAuth", Kind: Argument, Field: "security.authentication"},
	{Name: "clusterAuthMode", Kind: Argument, Field: "security.authentication"},
	{Name: "clusterAuthMode", Kind: Parameter, Field: "security.authentication"},
	{Name: "authenticationMechanisms", Kind: Parameter, Field: "security.authentication"},
	{Name: "enableLocalhostAuthBypass", Kind: Parameter, Field: "security.authentication"},
	// The topology Job logs in as __system, from whatever address its pod has.
	{Name: "clusterIpSourceAllowlist", Kind: Argument, Field: "security.networkPolicy"},
	{Name: "clusterIpSourceWhitelist", Kind: Argument, Field: "security.networkPolicy"},
	{Name: "tlsOnNormalPorts", Kind: Argument, Field: "security.tls"},
	{Name: "tlsClusterFile", Kind: Argument, Field: "security.tls"},
	{Name: "tlsClusterCAFile", Kind: Argument, Field: "security.tls"},
	{Name: "tlsMode", Kind: Parameter, Field: "security.tls"},
	{Name: "sslMode", Kind: Argument, Field: "security.tls"},
	{Name: "sslMode", Kind: Parameter, Field: "security.tls"},
	{Name: "sslOnNormalPorts", Kind: Argument, Field: "security.tls"},
	{Name: "sslPEMKeyFile", Kind: Argument, Field: "security.tls"},
	{Name: "sslCAFile", Kind: Argument, Field: "security.tls"},
	{Name: "sslClusterFile", Kind: Argument, Field: "security.tls"},

	{Name: "fork", Kind: Argument, Why: output},
	{Name: "logpath", Kind: Argument, Why: output},
	{Name: "logappend", Kind: Argument, Why: output},
	{Name: "syslog", Kind: Argument, Why: output},
	{Name: "quiet", Kind: Argument, Why: output},
	{Name: "pidfilepath", Kind: Argument, Why: byDefault},
	{Name: "unixSocketPrefix", Kind: Argument, Why: byDefault},
	{Name: "filePermissions", Kind: Argument, Why: byDefault},
	{Name: "help", Kind: Argument, Why: otherTask},
	{Name: "version", Kind: Argument, Why: otherTask},
	{Name: "sysinfo", Kind: Argument, Why: otherTask},
	{Name: "shutdown", Kind: Argument, Why: otherTask},
	{Name: "repair", Kind: Argument, Why: otherTask},
	{Name: "restore", Kind: Argument, Why: otherTask},
	{Name: "upgrade", Kind: Argument, Why: otherTask},
	{Name: "queryableBackupMode", Kind: Argument, Why: otherTask},
}
