// Package ftdctest reads files of diagnostic data as their format is described, for tests of what writes them. It
// shares nothing with that.
package ftdctest
