# Prints the targets that carry a `## sentence`, grouped by the `##@ Heading` above them; fragments may share a heading.
BEGIN { FS = ":.*## " }
/^##@ / {
	heading = substr($0, 5)
	if (!(heading in targets)) order[++headings] = heading
	next
}
/^[a-z][a-z0-9-]*:.*## / { targets[heading] = targets[heading] sprintf("  %-17s %s\n", $1, $2) }
END {
	print "Usage: make TARGET [VARIABLE=value]"
	for (i = 1; i <= headings; i++) printf "\n%s\n%s", order[i], targets[order[i]]
}
