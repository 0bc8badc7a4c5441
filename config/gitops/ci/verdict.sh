# Waits until a suite is complete. Exits with 0 if it passed, 1 if it did not (its condition Passed: by spec.failOn, or
# because a search found nothing) or a run failed, 2 if it was not complete in time. If it passed with an unknown verdict
# (Regressed=Unknown: no baseline yet, or a failOn that allows it), says so and exits with 0, or with 3 if FAIL_ON_UNKNOWN
# is true; a search compares with nothing and exits with 0.
#
# SUITE, NAMESPACE: the suite. TIMEOUT_SECONDS: how long to wait; 7200 by default.
set -eu

field() { kubectl --namespace "$NAMESPACE" get benchmarksuite "$SUITE" --output "jsonpath=$1"; }
says() { field "{.status.conditions[?(@.type==\"$1\")].$2}"; }

# Each condition has the generation that it describes, and kubectl wait ignores those of an earlier generation, so
# this may start right after the apply.
compared() {
  kubectl --namespace "$NAMESPACE" wait "benchmarksuite/$SUITE" --for=condition=Complete --timeout="${SLICE:-60s}" &&
    [ "$(says Regressed observedGeneration)" = "$(field '{.metadata.generation}')" ] &&
    [ "$(says Regressed reason)" != NotCompared ]
}

deadline=$(($(date +%s) + ${TIMEOUT_SECONDS:-7200}))
until compared; do
  if [ "$(says Complete reason)" = NotAccepted ] &&
    [ "$(says Complete observedGeneration)" = "$(field '{.metadata.generation}')" ]; then
    echo "suite $SUITE is refused: $(says Accepted message)"
    exit 1
  fi
  if [ "$(date +%s)" -ge "$deadline" ]; then
    echo "suite $SUITE is not complete: $(says Complete reason): $(says Complete message)"
    exit 2
  fi
  sleep 1
done

echo "suite $SUITE: $(says Complete message)"
echo "Regressed=$(says Regressed status), $(says Regressed reason): $(says Regressed message)"
echo "Passed=$(says Passed status), $(says Passed reason)"
[ "$(says Passed status)" = True ] || exit 1
case $(says Complete reason) in
  AllSucceeded) ;;
  Searched) exit 0 ;; # Runs of it may fail, and Regressed is always Unknown.
  *) exit 1 ;;
esac
if [ "$(says Regressed status)" = Unknown ] && [ "${FAIL_ON_UNKNOWN:-false}" = true ]; then
  exit 3
fi
