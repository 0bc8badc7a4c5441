package mongo

// wireLead is the part of a message before its command: the header, the flags and the kind of the section.
const wireLead = 21
