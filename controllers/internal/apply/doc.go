// Package apply brings the cluster from what was observed to what is desired: server-side apply of what differs,
// removal of what is owned and no longer desired, and one write of the status. When nothing differs, nothing is
// written.
//
// It decides nothing; the decide packages do. It imports controller-runtime's client, and package desired for the
// comparison.
package apply
