// Package podspec holds what all pods of the operator have in common: how they pass the restricted Pod Security
// Standard, what they may use, and how they are kept from being moved. It is pure.
//
// What one pod is for is the business of the decide packages. It imports the API types and api.
package podspec
