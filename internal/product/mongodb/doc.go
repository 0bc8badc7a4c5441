// Package mongodb is the product MongoDB: its members, routers and config servers, the pods that run them, their users
// and certificates, how a load generator reaches them, and what of a target and a run cannot be had.
//
// Which options a mongod has is the table of internal/product/mongod. It imports that, internal/product,
// internal/naming and internal/podspec.
package mongodb
