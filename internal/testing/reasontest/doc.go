// Package reasontest reads the conditions and reasons that the API declares, so that a test can ask for a scenario that
// produces each. It is for tests only, starts nothing, and imports the standard library.
package reasontest
