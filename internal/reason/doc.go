// Package reason is the registry of the reasons of all conditions: of which conditions each is a reason, what it means,
// and what to do about it. Some reasons of a condition are not bad news; these have no remedy.
//
// It is data and decides nothing. Controllers and the plugin show its remedies, docs/reference/reasons.md is made of
// it, and a test holds it to the constants of api/v1alpha1, which it imports and nothing else.
package reason
