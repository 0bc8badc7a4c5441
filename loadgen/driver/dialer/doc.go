// Package dialer opens the connections of a load to its servers, and closes those to a server that is cut off: networks
// that enforce a NetworkPolicy often leave alone what was open before. It imports nothing of ours.
package dialer
