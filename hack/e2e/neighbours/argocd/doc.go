// Package argocd has Argo CD, its application controller and its repository server, keep a suite that a repository
// holds.
package argocd
