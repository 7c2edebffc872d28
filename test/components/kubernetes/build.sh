#!/bin/sh
# build.sh OUTPUT VERSION
#
# Builds kube-apiserver from the modules named in go.mod into OUTPUT, unless another process has done it while this one
# waited: it runs under flock, one at a time. Only a finished program ever gets that name.
set -eu
output=$1
version=$2
if [ -x "$output" ]; then exit 0; fi
trap 'rm -f "$output.part"' EXIT
trap 'exit 1' HUP INT TERM
cd "$(dirname "$0")"
CGO_ENABLED=0 go build -trimpath \
  -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
  -o "$output.part" k8s.io/kubernetes/cmd/kube-apiserver
mv "$output.part" "$output"
