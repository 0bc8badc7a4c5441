// Package mongodbcommunity has the MongoDB Community Operator deploy the servers of targets. The operator, its
// readiness probe, its version hook and the servers are real; the agent is played: see the package agent.
package mongodbcommunity
