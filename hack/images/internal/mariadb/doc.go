// Package mariadb fetches real MariaDB servers from Debian's packages, with the plugins HandlerSocket and MyRocks, and
// proves that they start. It runs no server and speaks no SQL. It may import the standard library and this module's
// cache, command and debian packages.
package mariadb
