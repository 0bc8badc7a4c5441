// Package strictjson writes and reads the small JSON documents that the operator and the load generator exchange: one
// byte sequence for one value, and nothing accepted that the reader does not know.
//
// It is not a general JSON library. It imports the standard library only; the packages under api/ may import it.
package strictjson
