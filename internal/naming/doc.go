// Package naming holds the names of everything that the operator makes: objects, labels, keys, mount paths, ports.
// Each name is a pure function of its owner's, so that a restarted manager finds what it made before.
//
// It makes no objects. It imports apimachinery's constants and api, nothing else.
package naming
