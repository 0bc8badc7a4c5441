// Package serverflags holds what the operator gives its servers as flags: golden files, one flag or value a line, that
// tests of the products write and compare, and tests of the load generator start real servers with. It is for tests,
// and imports none of the project.
package serverflags
