// Package suitetest has a suite, and the ends of its runs, for the tests of controllers/suite. It imports api.
package suitetest
