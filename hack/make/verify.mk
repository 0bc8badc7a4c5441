##@ Checks

.PHONY: verify
verify: verify-generated verify-modules verify-structure verify-chart lint ## Run every check that needs no cluster: the ones below, and lint.
	@echo "verify: all checks passed"

.PHONY: verify-generated
verify-generated: prerequisites ## Regenerate all files and fail if any changed.
	@hack/verify/generated.sh

.PHONY: verify-modules
verify-modules: prerequisites ## Check that every go.mod and go.sum is tidy, and that the modules match go.sum.
	@hack/verify/modules.sh

.PHONY: verify-structure
verify-structure: prerequisites ## Check the house rules that no linter covers (hack/verify) and the API conventions, and run go vet.
	@echo "verify: structure and dependencies"
	go run ./hack/verify
	echo "verify: API conventions"
	"$$(hack/tools/tool.sh kube-api-linter)" run --config hack/verify/api-linter.yml ./api/v1alpha1
	echo "verify: go vet"
	go vet -tags e2e ./...

.PHONY: verify-chart
verify-chart: prerequisites ## Lint the Helm chart.
	@echo "verify: the chart"
	"$$(hack/tools/tool.sh helm)" lint --strict --quiet charts/mongobench-operator
