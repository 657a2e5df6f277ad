#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install.sh [--uninstall]
#
# Builds perdix and installs it on this machine under $PREFIX (/usr/local), as
# root, for those who do not use the Debian packages: programs, unit, udev rule
# and the kernel module, through DKMS where that is installed, else for the
# running kernel only. It is at work when this ends. An existing
# /etc/perdix/perdixd.conf is kept. --uninstall takes all of it away again, the
# configuration and the user perdix too. With $DESTDIR the files are only put
# there: no module is built, nothing is started.
set -eu
cd "$(dirname "$0")"
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
version=$(sed -n 's/^project(perdix VERSION \([^ ]*\).*/\1/p' CMakeLists.txt)
# What was installed, children before their folders; without DESTDIR.
list=$root$prefix/share/perdix/installed-files
staged=$PWD/build/install/staged

say() { echo "install.sh: $*"; }
fail() { say "$*" >&2; exit 1; }
has_systemd() { [ -d /run/systemd/system ]; }

build() {
  if command -v apt-get >/dev/null; then tools/setup build; fi
  cmake -S . -B build/install -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
    -DPERDIX_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$prefix"
  cmake --build build/install -- --quiet
}

remove_files() {
  for path in $(cat "$list" 2>/dev/null); do  # none has a space
    if [ -d "$root$path" ]; then
      rmdir --ignore-fail-on-non-empty "$root$path"
    else
      rm -f "$root$path"
    fi
  done
}

install_files() {
  rm -rf "$staged"
  DESTDIR=$staged cmake --install build/install --strip >/dev/null
  touch "$staged$prefix/share/perdix/installed-files"
  # the bus reads policies of other prefixes than /usr there only
  if [ "$prefix" != /usr ] && [ -d "$staged$prefix/share/dbus-1/system.d" ]; then
    mkdir -p "$staged/etc/dbus-1"
    mv "$staged$prefix/share/dbus-1/system.d" "$staged/etc/dbus-1/"
  fi
  conf=etc/perdix/perdixd.conf
  if [ -e "$root/$conf" ]; then cp -p "$root/$conf" "$staged/$conf"; fi
  remove_files
  # folders that were there before us are not ours
  (cd "$staged" && find . -mindepth 1 -depth) | sed 's,^\.,,' | while read -r path; do
    [ -d "$root$path" ] || echo "$path"
  done >build/install/list
  mkdir -p "$root/"
  tar -C "$staged" -c . | tar -C "$root/" -x --no-same-owner --no-overwrite-dir
  cp build/install/list "$list"
}

install_module() {
  if command -v dkms >/dev/null; then
    dkms install "$prefix/src/perdix-$version"
    return
  fi
  headers=/lib/modules/$(uname -r)/build
  [ -d "$headers" ] || fail "no kernel headers in $headers: see docs/install.md"
  rm -rf build/install/module
  cp -r "$prefix/src/perdix-$version" build/install/module
  for target in modules modules_install; do
    make -s -C "$headers" M="$PWD/build/install/module" INSTALL_MOD_DIR=updates $target
  done
  depmod
}

remove_module() {
  installed=$(sed -n 's,.*/src/perdix-\([^/]*\)/dkms.conf$,\1,p' "$list")
  if command -v dkms >/dev/null && [ -n "$(dkms status "perdix/$installed")" ]; then
    dkms remove "perdix/$installed" --all
    rm -rf "/usr/src/perdix-$installed"
  fi
  find /lib/modules/*/updates -name 'perdix.ko*' -delete 2>/dev/null || true
  rmdir /lib/modules/*/updates 2>/dev/null || true
  depmod
}

start() {
  systemd-sysusers
  has_systemd || { say "no systemd at work: nothing is started"; return; }
  udevadm control --reload
  systemctl daemon-reload
  systemctl enable --quiet perdix.service
  modprobe -q -r perdix || true
  modprobe perdix || fail "the module is not loaded: see docs/install.md, Secure Boot"
  systemctl restart perdix.service
  systemctl --no-pager --lines 0 status perdix.service
}

stop() {
  if has_systemd; then systemctl disable --quiet --now perdix.service || true; fi
  modprobe -q -r perdix || true
}

uninstall() {
  [ -e "$list" ] || fail "not installed: no $list"
  if [ -z "$root" ]; then
    stop
    remove_module
  fi
  remove_files
  [ -z "$root" ] || return 0
  rm -rf /var/lib/perdix /var/cache/perdix
  if has_systemd; then
    systemctl daemon-reload
    udevadm control --reload
  fi
  userdel perdix 2>/dev/null || true
}

case ${1:-} in
  '')
    [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "needs root"
    build
    if [ -z "$root" ] && [ -e "$list" ]; then remove_module; fi
    install_files
    if [ -z "$root" ]; then
      install_module
      start
    fi
    say "installed in $root$prefix" ;;
  --uninstall)
    uninstall
    say "removed" ;;
  *)
    sed -n '3,/^set/s/^# \?//p' "$0" | head -n -1
    exit 64 ;;
esac
