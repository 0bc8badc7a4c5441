// Command agent plays MongoDB's automation agent for the MongoDB Community Operator, as far as that operator needs it.
// The real agent is closed, and no package registry has it.
//
// It is what runs in the container mongodb-agent of a member: it reads the automation config that the operator writes,
// writes the configuration and the keyfile that the container mongod waits for, and brings the replica set, its roles
// and its users to what the config says. What it has reached it writes into the health status, for the operator's own
// readiness probe.
//
// It changes no version, no port and no member that runs, rotates no logs, and knows nothing of TLS.
package main
