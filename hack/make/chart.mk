##@ Generated files

.PHONY: chart
chart: prerequisites ## Lint the Helm chart and package it into dist/.
	@helm=$$(hack/tools/tool.sh helm)
	echo "chart: linting and packaging charts/mongobench-operator into dist/"
	"$$helm" lint --strict --quiet charts/mongobench-operator
	"$$helm" package --destination dist charts/mongobench-operator

CHART ?= charts/mongobench-operator

.PHONY: bundle
bundle: prerequisites ## Make and validate the bundle for the Operator Lifecycle Manager in dist/bundle (CHART=folder or archive).
	@hack/olm/bundle.sh "$(CHART)"
