// Package topology brings a deployment into the topology that a target declares: it waits for the members, initiates
// the replica sets, makes the users, joins shards through mongos, and says what the servers are. Every step may be
// repeated, so that a topology Job that was killed anywhere and restarted ends in the same state.
//
//	connect to all members ── each set: initiate, primary, users ──┬── describe
//	                          all sets at once                     └── mongos: stop the balancer, chunk size,
//	                                                                   add and check the shards, balancer as declared
//
// It talks to members as __system, the account that every mongod with a keyfile has from its start: it works before
// the set is initiated and leans on no localhost exception, which cannot be repeated once the first user exists.
//
// It is not the place for loading or measuring. It may import the MongoDB driver, api/plan and api/report, and nothing
// of Kubernetes.
package topology
