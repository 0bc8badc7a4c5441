// Package actions tests the actions for GitHub under .github/actions: each is run as a runner runs it, by what its
// action.yml says, against a server that answers as the part of GitHub's API does that the action uses.
//
// Programs that an action starts are found before those of the machine: what they are given is written down, and none
// waits. It needs bash, curl and jq, and imports yaml.
package actions
