// Package act carries out the actions of a step that load pods cannot do themselves: it deletes pods of members, and
// cuts members off from the network for a while. Load pod 0 asks for them; the gate remembers which pod each was done
// to.
//
// It says what is to be changed and changes nothing. It imports api, naming, and package progress.
package act
