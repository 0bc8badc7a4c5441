// Package extjson reads single values of MongoDB Extended JSON, relaxed or canonical, and encodes them as BSON.
//
// It is stricter than the parser of package bson, which stops reading when it has what it wants: here the whole text
// must be one value. It imports nothing but bson.
package extjson
