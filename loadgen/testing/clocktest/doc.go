// Package clocktest is a machine whose wall clock a test sets. It is for tests only, and imports nothing of ours.
package clocktest
