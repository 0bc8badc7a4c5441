#!/usr/bin/env bash
# Takes down the local cluster that a command left which was killed, or kept, if there is one. One that another command
# uses is left alone: that is an error, which names the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. hack/make/claim.sh

# On a machine that has none, nothing is to be compiled to find that out.
[[ -e ${MONGOBENCH_STATE:-/var/lib/mongobench} ]] || exit 0

trap release_cluster EXIT
claim_cluster
say "taking down the local cluster that an earlier command left"
make cluster-down
