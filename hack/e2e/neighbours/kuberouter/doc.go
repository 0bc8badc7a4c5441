// Package kuberouter holds the scenario of a network that enforces NetworkPolicies: kube-router's network policy
// agent runs on every node of a local cluster, with ipset and iptables of the distribution.
// docs/neighbours/kube-router.md is its page.
package kuberouter
