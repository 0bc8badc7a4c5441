# Puts figures of reports into a page: what stands between a line <!-- figures STUDY METRIC, ... --> and the next
# <!-- end of figures --> becomes a table of those rows of docs/studies/STUDY/report.md that have one of the metrics: of
# throughput those of all operations together. The tables of medians in a report begin with the columns STEP, OPERATION,
# METRIC, that of a growth with DOCUMENTS besides, and have a column for each variant. Where there are more variants than
# rows, the variants go down. The picture of the report and a link to all of it stand below.
BEGIN { FS = " *[|] *" }

function put(    labels, variants, i, row, column, cells, name) {
	if (count < 2) return
	labels = heading[5] == "DOCUMENTS" ? 4 : 3
	variants = width - 2 - labels
	if (variants < count) {
		print "\n" lines[1] "\n" rule
		for (row = 2; row <= count; row++) print lines[row]
		return
	}
	printf "\n| variant |"
	for (row = 2; row <= count; row++) {
		split(lines[row], cells)
		name = ""
		for (i = 2; i <= labels + 1; i++) if (cells[i] != "-") name = name " " cells[i]
		printf "%s |", name
	}
	printf "\n|---|"
	for (row = 2; row <= count; row++) printf "---:|"
	for (column = labels + 2; column < width; column++) {
		printf "\n| %s |", heading[column]
		for (row = 2; row <= count; row++) {
			split(lines[row], cells)
			printf " %s |", cells[column]
		}
	}
	print ""
}

function figures(study, wanted,    report, measured) {
	report = "docs/studies/" study "/report.md"
	count = measured = 0
	while ((getline < report) > 0) {
		measured = 1
		if (/^[|] STEP [|]/) {
			put()
			width = split($0, heading)
			lines[1] = $0
			count = 1
			getline rule < report
		} else if (!/^[|]/) {
			put()
			count = 0
		} else if (count && index(wanted, ", " $4 ", ") && ($3 == "-" || $4 ~ /^p[0-9]|latency/)) {
			lines[++count] = $0
		}
	}
	put()
	close(report)
	if (measured) {
		print "\n![Figures of " study ", drawn](" study "/report.svg)"
		print "\n[All figures of " study "](" study "/report.md)"
	} else {
		print "\nNot measured yet: `make studies NAME=" study "`."
	}
}

/^<!-- figures / {
	print
	split($0, words, " ")
	wanted = $0
	sub(/^<!-- figures [^ ]+ /, "", wanted)
	sub(/ -->$/, "", wanted)
	figures(words[3], ", " wanted ", ")
	replaced = 1
	next
}
/^<!-- end of figures -->/ {
	print ""
	replaced = 0
}
!replaced
