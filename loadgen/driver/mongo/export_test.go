package mongo

// ShardHosts is for tests.
var ShardHosts = shardHosts

// For tests of who a client is.
var (
	ObserverClient = (*Target).observerClient
	ActionClient   = (*Target).actionClient
	ActionMember   = (*Target).actionMember
)
