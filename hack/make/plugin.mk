##@ Try it

.PHONY: plugin
plugin: prerequisites ## Build kubectl-mongobench and its completion for kubectl in dist/.
	@mkdir -p dist
	go build -trimpath -ldflags '-s -w' -o dist/kubectl-mongobench ./cmd/kubectl-mongobench
	install -m 0755 cmd/kubectl-mongobench/kubectl_complete-mongobench dist/
	echo "plugin: dist/kubectl-mongobench and dist/kubectl_complete-mongobench; copy both to a folder of PATH"
