#!/usr/bin/env bash
# Writes Markdown into one comment of a pull request: the first time it makes the comment, later it renews it. The comment
# is known by its first line, which names the suite and which no reader sees, and by its author, who is the token's.
#
# SUITE, NAMESPACE: the suite. FILE: the Markdown; empty: what the plugin reports. PULL_REQUEST, REPOSITORY, API_URL: where.
# TOKEN: never printed and never an argument of a program, where others on the machine could see it.
# GITHUB_OUTPUT: file for comment-id and comment-url.
set -euo pipefail
set +x # Whoever debugs a workflow does not see the token either.

most_characters=65536 # Of a comment, by GitHub.
most_attempts=5
most_seconds=300 # To wait for one attempt; a runner costs money.
most_pages=100   # Of a hundred comments.

# fail prints an error that GitHub shows at the top of the run.
fail() {
	local text=$1
	text=${text//'%'/'%25'} text=${text//$'\r'/'%0D'} text=${text//$'\n'/'%0A'}
	printf '::error title=benchmark-comment::%s\n' "$text"
	exit 1
}

# want NAME VALUE PATTERN MESSAGE
want() {
	[[ $2 =~ $3 ]] || fail "$1: $4"
}

for program in curl jq; do
	command -v "$program" >/dev/null || fail "the runner has no $program"
done
name='^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'
want suite "${SUITE:-}" "$name" 'give the name of a BenchmarkSuite'
want namespace "${NAMESPACE:-}" "$name" 'give the namespace of the BenchmarkSuite'
want pull-request "${PULL_REQUEST:-}" '^[1-9][0-9]*$' \
	'give a number: the event is of no pull request, as a push is, or what was given is none'
want repository "${REPOSITORY:-}" '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' 'give it as OWNER/NAME'
want api-url "${API_URL:-}" '^(https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/])[^[:space:]"\\@]*$' \
	'give an https address; http only reaches this machine'
want github-token "${TOKEN:-}" '^[A-Za-z0-9_.-]+$' 'it is empty, or holds what no token of GitHub does'
api=${API_URL%/}
# What is started below has no business with it.
token=$TOKEN
unset TOKEN
marker="<!-- mongobench: suite $NAMESPACE/$SUITE -->"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# send METHOD ADDRESS [FILE] asks once, with a file as the body. Leaves the answer in $work/answer, its headers in
# $work/headers, and its number in $status: 000 when there was none.
send() {
	local arguments=(--request "$1" --url "$2" --output "$work/answer" --dump-header "$work/headers")
	[[ $# -lt 3 ]] || arguments+=(--header 'Content-Type: application/json' --data-binary "@$3")
	: >"$work/answer"
	: >"$work/headers"
	status=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
		curl --disable --config - --silent --show-error --connect-timeout 15 --max-time 60 --write-out '%{http_code}' \
			--header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
			--user-agent mongobench-benchmark-comment "${arguments[@]}") || status=000
}

# header NAME prints the value of a header of the answer.
header() {
	tr -d '\r' <"$work/headers" |
		awk -v name="$1:" 'tolower($1) == name { sub(/^[^:]*: */, ""); value = $0 } END { if (value != "") print value }'
}

# said prints what GitHub has to say about a refusal.
said() {
	jq -r '.message // empty' <"$work/answer" 2>/dev/null || true
}

# passing tells whether another attempt may succeed: the server is in trouble, or has been asked too often.
passing() {
	case $status in
	000 | 429 | 5??) return 0 ;;
	403) [[ -n $(header retry-after) || $(header x-ratelimit-remaining) == 0 || $(said) == *'rate limit'* ]] ;;
	*) return 1 ;;
	esac
}

# pause ATTEMPT waits for as long as the server asks, or longer from attempt to attempt.
pause() {
	local seconds=$((2 ** $1)) after reset
	after=$(header retry-after) reset=$(header x-ratelimit-reset)
	if [[ $after =~ ^[0-9]{1,9}$ ]]; then
		seconds=$((10#$after))
	elif [[ $(header x-ratelimit-remaining) == 0 && $reset =~ ^[0-9]{1,12}$ ]]; then
		seconds=$((10#$reset - $(date +%s) + 1))
		((seconds > 0)) || seconds=1
	elif [[ $status == 403 || $status == 429 ]]; then
		seconds=60 # What GitHub wants of those whom it does not tell.
	fi
	((seconds <= most_seconds)) || fail "GitHub does not want to be asked for $seconds seconds: $(said)"
	echo "GitHub answered with $status; asking again in $seconds seconds" >&2
	sleep "$seconds"
}

# refused DOING ends with what is wrong, and what to do.
refused() {
	local todo=
	case $status in
	000) todo="there is no answer from $api" ;;
	401) todo='the token is not taken: it is wrong, or has expired' ;;
	403) todo='the token may not do that: give the job "permissions: pull-requests: write". The token of a pull request from a
fork may only read, whatever the job says' ;;
	404) todo="there is no pull request $PULL_REQUEST in $REPOSITORY, or the token may not see it" ;;
	3??) todo="the repository is elsewhere now: $(header location)" ;;
	esac
	fail "$1: GitHub answered with $status: $(said)${todo:+
$todo}"
}

# ask METHOD ADDRESS [FILE] asks until there is an answer that stays. Not for what must not be done twice.
ask() {
	local attempt
	for ((attempt = 1; ; attempt++)); do
		send "$@"
		passing && ((attempt < most_attempts)) || return 0
		pause "$attempt"
	done
}

ok() { [[ $status == 2?? ]]; }

# author finds out whose comments are the token's, by the fields of a user. A token of a workflow is that of an app, which
# cannot ask for itself; its comments are those of a bot. Anybody may write our first line into a comment of his own, which
# is not to become the place where people look for the result.
author() {
	ask GET "$api/user"
	if ok; then
		whose=$(jq '{login: .login}' <"$work/answer") || fail "what is at $api is not the API of GitHub"
	elif [[ $status == 403 || $status == 404 ]]; then
		whose='{"type": "Bot"}'
	else
		refused 'asking whose the token is'
	fi
}

# look looks for our comment. Leaves its number in $found, which is empty when there is none.
look() {
	local address="$api/repos/$REPOSITORY/issues/$PULL_REQUEST/comments?per_page=100" page
	for ((page = 1; page <= most_pages; page++)); do
		ask GET "$address"
		ok || refused "reading the comments of pull request $PULL_REQUEST"
		found=$(jq -r --arg marker "$marker" --argjson whose "$whose" '
			first(.[] | select((.body // "") | split("\n") | (.[0] // "") | rtrimstr("\r") == $marker)
				| select(.user as $user | $whose | to_entries | all(.value == $user[.key])) | .id)' <"$work/answer") ||
			fail "what is at $api is not the API of GitHub"
		[[ -z $found ]] || return 0
		address=$(header link | tr ',' '\n' | sed -n 's/.*<\([^>]*\)>; *rel="next".*/\1/p')
		[[ -n $address ]] || return 0
		# The token goes nowhere else.
		[[ $address == "$api"/* ]] || fail "the next page of comments is not at $api"
	done
	fail "pull request $PULL_REQUEST has too many comments"
}

# place makes the comment, or renews it.
place() {
	local attempt
	for ((attempt = 1; ; attempt++)); do
		look
		if [[ -n $found ]]; then
			ask PATCH "$api/repos/$REPOSITORY/issues/comments/$found" "$work/comment"
		else
			# Once: what was made although there was no answer is found by the next attempt, and not made again.
			send POST "$api/repos/$REPOSITORY/issues/$PULL_REQUEST/comments" "$work/comment"
		fi
		! ok || return 0
		((attempt < most_attempts)) || refused 'writing the comment'
		if [[ -z $found ]] && passing; then
			pause "$attempt"
		elif [[ -z $found || $status != 404 ]]; then # One that is gone was removed after it was found.
			refused 'writing the comment'
		fi
	done
}

# report has the plugin write the Markdown. Where there is nothing to report, that is the comment: an older result would be
# taken for that of this run.
code=0
report() {
	FILE=$work/report
	kubectl mongobench report "suite/$SUITE" --namespace "$NAMESPACE" --output md >"$FILE" 2>"$work/errors" || code=$?
	cat "$work/errors" >&2
	if ((code != 0)); then
		printf '## Suite %s has no result\n\n' "$SUITE" >"$FILE"
		sed 's/^/    /' "$work/errors" >>"$FILE"
	fi
}

# compose writes the comment as JSON, cut to what GitHub takes, at the end of a line.
compose() {
	local by=
	if [[ -n ${GITHUB_RUN_ID:-} && -n ${GITHUB_SERVER_URL:-} && -n ${GITHUB_REPOSITORY:-} ]]; then
		by="[this run of the workflow]($GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID)"
	fi
	tr -d '\000' <"$FILE" | jq -Rs --arg marker "$marker" --arg by "$by" --argjson most "$most_characters" '
		(if $by == "" then "" else "\n\nWritten by " + $by + "." end + "\n") as $below
		| ("\n\n**Cut:** there is more than fits into a comment." + $below) as $cut
		| ($marker + "\n" + rtrimstr("\n")) as $whole
		| if ($whole + $below | length) <= $most then $whole + $below
			else ($whole[:$most - ($cut | length)] | split("\n")
				| if length > 2 then .[:-1] else . end | join("\n")) + $cut
			end
		| {body: .}' >"$work/comment"
}

if [[ -z ${FILE:-} ]]; then
	report
fi
[[ -r $FILE && -f $FILE ]] || fail "file: there is no $FILE"
compose
author
place

id=$(jq -r .id <"$work/answer") url=$(jq -r .html_url <"$work/answer")
want comment-id "$id" '^[0-9]+$' 'GitHub answered without one'
want comment-url "$url" '^https?://[^[:space:]]+$' 'GitHub answered without one'
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
	printf 'comment-id=%s\ncomment-url=%s\n' "$id" "$url" >>"$GITHUB_OUTPUT"
fi
echo "the result of suite $NAMESPACE/$SUITE is in $url"
((code == 0)) || fail "suite $SUITE has no result: $(<"$work/errors")"
