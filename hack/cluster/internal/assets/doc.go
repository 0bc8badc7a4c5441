// Package assets gets everything the cluster runs into the cache: Kubernetes, etcd and the provisioner, compiled from
// the modules beside this one; containerd, runc, nft and the network plugins, from the machine or else from its
// distribution's packages; and the two images that every cluster needs.
//
// It starts nothing of the cluster and installs nothing on the machine: packages are unpacked into the cache, so no
// daemon is enabled and no configuration is left behind. It imports the standard library and
// golang.org/x/sys.
package assets
