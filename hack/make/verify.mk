##@ Checks

.PHONY: verify
verify: prerequisites ## Run every check that needs no cluster: the ones below, and lint.
	@# One of these waits for the network, on a machine that has nothing yet, and the other for the processors.
	$(MAKE) --jobs=2 --output-sync=target verify-generated verify-modules
	$(MAKE) verify-structure verify-workflows verify-changelog verify-chart lint
	echo "verify: all checks passed"

.PHONY: verify-generated
verify-generated: prerequisites ## Regenerate all files and fail if any changed.
	@hack/verify/generated.sh

.PHONY: verify-modules
verify-modules: prerequisites ## Check that every go.mod and go.sum is tidy, and that what the programs link in matches go.sum.
	@hack/verify/modules.sh

.PHONY: verify-structure
verify-structure: prerequisites ## Check the house rules that no linter covers (hack/verify) and the API conventions.
	@echo "verify: structure and dependencies"
	go run ./hack/verify
	echo "verify: API conventions"
	"$$(hack/tools/tool.sh golangci-lint)" run --config hack/verify/api-linter.yml ./api/v1alpha1

.PHONY: verify-chart
verify-chart: prerequisites ## Lint the Helm chart.
	@echo "verify: the chart"
	"$$(hack/tools/tool.sh helm)" lint --strict --quiet charts/mongobench-operator

.PHONY: verify-workflows
verify-workflows: prerequisites ## Check the GitHub workflows.
	@echo "verify: the workflows"
	# Without programs that only some machines have, which it would run.
	"$$(hack/tools/tool.sh actionlint)" -shellcheck= -pyflakes=

.PHONY: vulnerabilities
vulnerabilities: prerequisites ## Look for known vulnerabilities in what the programs call (needs the Go vulnerability database).
	@echo "vulnerabilities: cmd"
	"$$(hack/tools/tool.sh govulncheck)" ./cmd/...
