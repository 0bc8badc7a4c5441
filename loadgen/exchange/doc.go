// Package exchange measures, by questions that need no work to answer, how far a server is from here, and by how much
// the clock here is ahead of the server's.
//
// What is asked of a server, and how, is the drivers' business: they give Repeat a function that asks once.
package exchange
