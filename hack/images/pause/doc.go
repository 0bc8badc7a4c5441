// Command pause is the process that holds the namespaces of a pod. It reaps the orphans that the kernel gives to
// process 1 of a shared process namespace, and ends when it is told to. It imports the standard library alone.
package main
