// Command ferretdb is FerretDB 1 with its SQLite backend: a server that speaks MongoDB's protocol and keeps documents
// in SQLite databases, one file for each database. It takes the flags that the operator gives it and no others.
//
// It exists because FerretDB's own images have a PostgreSQL in front of them; embedding the server is how FerretDB is
// meant to be used in Go programs. Nothing imports it; its go.mod pins the version that the image is named by.
package main
