// Package cache knows where fetched servers and built images lie on this machine. It holds paths only and creates
// nothing. It may import the standard library alone.
package cache
