#!/usr/bin/env bash
# Makes hack/chart/testdata/dashboard.schema.json anew, from Grafana's types in the npm package @grafana/schema:
#
#   hack/chart/schema/make.sh
#
# It needs Node and npm, which the test that uses the schema does not. Packages are installed outside the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json tsconfig.json dashboard.ts without-words.mjs "$work/"
npm --prefix "$work" ci --silent --ignore-scripts --no-audit --no-fund
(cd "$work" && npm exec --offline -- ts-json-schema-generator --path dashboard.ts --type Dashboard \
	--tsconfig tsconfig.json --no-type-check --out schema.json && node without-words.mjs schema.json dashboard.schema.json)
mv "$work/dashboard.schema.json" ../testdata/dashboard.schema.json
echo "schema: hack/chart/testdata/dashboard.schema.json, of @grafana/schema $(node -p 'JSON.parse(require("fs").readFileSync("package.json")).devDependencies["@grafana/schema"]')"
