# Prints each `##@ Heading` of the fragments, and below it the targets that carry a `## sentence`.
BEGIN {
	FS = ":.*## "
	print "Usage: make TARGET [VARIABLE=value]"
}
/^##@ / { heading = substr($0, 5) }
/^[a-z][a-z0-9-]*:.*## / {
	if (heading != "") {
		printf "\n%s\n", heading
		heading = ""
	}
	printf "  %-14s %s\n", $1, $2
}
