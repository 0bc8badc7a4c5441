##@ Generated files

.PHONY: chart
chart: prerequisites ## Package the Helm chart into dist/ after linting it.
	@helm=$$(hack/tools/tool.sh helm)
	echo "chart: linting and packaging charts/mongobench-operator into dist/"
	"$$helm" lint --strict --quiet charts/mongobench-operator
	"$$helm" package --destination dist charts/mongobench-operator
