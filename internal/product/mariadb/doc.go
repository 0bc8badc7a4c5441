// Package mariadb is the product MariaDB: the pod that runs a server, its settings, users and connection string, and
// what of a target and a run cannot be had. It holds the table of the system variables that the operator sets itself,
// or that a field of a target stands for.
//
// What an operation is in SQL is in internal/product/portable. It imports that, internal/product/handlersocket,
// internal/product, internal/naming and internal/podspec.
package mariadb
