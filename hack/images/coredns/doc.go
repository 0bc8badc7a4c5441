// Command coredns is CoreDNS with the plugins that a cluster's DNS needs and no others: the stock one also links the
// client libraries of several clouds. Nothing imports it; its go.mod pins the version that the image is named by.
package main
