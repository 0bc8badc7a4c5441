package mongo

// ShardHosts is for tests.
var ShardHosts = shardHosts
