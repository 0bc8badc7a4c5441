// Command provisioner serves the default StorageClass of the local cluster: a claim becomes a directory under the
// state folder and a local PersistentVolume bound to the node that the scheduler chose; deleting the volume deletes
// the directory.
//
// It is not a driver for anything but this one machine, where every node sees the same disk, and it does not enforce
// capacity. It imports client-go and the provisioner library of Kubernetes, and nothing of ours.
package main
