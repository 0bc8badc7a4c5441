// Package certmanager has cert-manager, run from its own chart, sign, renew and refuse the certificates of targets.
package certmanager
