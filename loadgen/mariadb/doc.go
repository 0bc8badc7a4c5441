// Package mariadb is what the load generator does inside the pod of a MariaDB server: it brings itself along (Install),
// makes the data that a server starts with (Bootstrap), tells what the server uses while it is there (Start), and asks
// whether it works (Probe). None of it needs a shell, a client program or a writable image, so that any image with
// mariadbd will do.
//
// It drives no load and measures nothing. It imports the standard library and the clients under loadgen/driver.
package mariadb
