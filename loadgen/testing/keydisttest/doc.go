// Package keydisttest tells a test whether draws follow a distribution, by Pearson's chi-square.
//
// It is for tests only and imports nothing but the standard library.
package keydisttest
