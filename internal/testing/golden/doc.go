// Package golden compares what a test made with a file that people have read. It is for tests only, and imports none of
// the project.
package golden
