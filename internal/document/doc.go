// Package document reads what authors write as documents: a tree that keeps the order of keys, with {$json: "..."}
// replaced by the value that its string holds. It knows which objects stand for something, and where the order of keys
// decides what a server does.
//
// It is pure, knows no BSON, and leaves what operators mean to the server. It imports the API and the standard library.
package document
