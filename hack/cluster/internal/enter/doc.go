// Package enter turns this process into a program that runs inside the control plane's network: with the API server,
// all pods and all services at hand, and with the cluster's DNS.
//
// It imports assets (to find programs), machine (to find the namespace) and plan.
package enter
