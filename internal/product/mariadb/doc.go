// Package mariadb knows the system variables of MariaDB that the operator sets itself, or that a field of a target
// stands for, and how much of its memory a server keeps data in. The validation refuses what is in the table, and the
// target controller gives servers what follows from the fields.
//
// What else a server is started with is decided in controllers/target/decide. It imports the API, the part of
// internal/product/mongod that is about volumes, and the standard library.
package mariadb
