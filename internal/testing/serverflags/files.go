package serverflags

import "embed"

// Files are the lists, in a folder for each product: mongodb/CASE-VERSION.txt, made of the case mongodb/CASE.yaml, and
// mariadb/ENGINE.txt. They are part of a test's program, so that go knows which tests it need not run again.
//
//go:embed mongodb mariadb
var Files embed.FS
