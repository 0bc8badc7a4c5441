// Package remedy says what to do about each reason for which a run fails.
//
// It is a table by the reasons of the API's conditions, and decides nothing. Plugin and controllers show its rows, and
// docs/reading-a-result.md lists them, which a test checks. It imports api.
package remedy
