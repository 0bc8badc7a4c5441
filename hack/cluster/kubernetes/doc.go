// Command kubernetes is every Kubernetes component of the local cluster in one binary, which acts as the component
// whose name it is called by: kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy, kubectl.
//
// It is not the orchestrator: it starts nothing and configures nothing, it only holds upstream code. It imports
// Kubernetes and nothing of ours; `cluster build` compiles it.
package main
