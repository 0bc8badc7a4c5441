// Package strictjson writes and reads the small JSON documents that the operator and the load generator exchange: one
// byte sequence for one value. Of what says what to do, nothing is accepted that the reader does not know; of what was
// done, fields that only a later release knows are passed over.
//
// It is not a general JSON library. It imports the standard library only; the packages under api/ may import it.
package strictjson
