#!/bin/sh
# install.sh PACKAGE LOCK
#
# Installs one Debian package, the files only: no service is started and no database created. What is put in
# place for that is taken away again, also on failure. Runs under flock on LOCK, one at a time.
set -eu
package=$1
lock=$2

# Init scripts and systemd units of a package ask this program whether they may start.
policy=/usr/sbin/policy-rc.d
# PostgreSQL's package asks this folder whether to create its "main" cluster.
clusters=/etc/postgresql-common/createcluster.d

restore() {
  if [ -n "${own_policy:-}" ]; then rm -f "$policy"; fi
  if [ -n "${own_cluster:-}" ]; then
    rm -f "$own_cluster"
    rmdir --ignore-fail-on-non-empty --parents "$clusters" 2>/dev/null || true
  fi
}
trap restore EXIT
trap 'exit 1' HUP INT TERM

if [ ! -e "$policy" ]; then
  own_policy=yes
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
case $package in
postgresql*)
  own_cluster=$clusters/fettle-tests.conf
  mkdir -p "$clusters"
  echo 'create_main_cluster = false' >"$own_cluster"
  ;;
esac

export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt() {
  apt-get --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# Package lists are fetched only when those at hand do not do, and not again by the next in the queue.
if apt install "$package"; then exit 0; fi
if [ -n "$(find "$lock" -size +0 -mmin -10)" ]; then exit 1; fi
apt update
echo "package lists were fetched" >"$lock"
apt install "$package"
