# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests beside it: a Debian 13 with its stock kernel's headers in
# $base, made once, and $root, a layer over it that a test may write to. In a
# mount namespace of the test's own.
# shellcheck source=tests/v4l2/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../v4l2/common.sh"

packages=(
  systemd-sysv udev dbus libpam-systemd procps kmod
  linux-image-amd64 linux-headers-amd64 gcc make libc6-dev dpkg-dev
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad mesa-vulkan-drivers
)
base=$cache/packages/guest

# A Debian that somebody could have at home; perdix is not in it.
make_base() {
  need mmdebstrap:mmdebstrap
  mkdir -p "$cache/packages"
  (flock 9; make_missing_base) 9>"$base.lock"
}

make_missing_base() {
  local key
  key=$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c1-12)
  [ "$(cat "$base.key" 2>/dev/null)" != "$key" ] || return 0
  rm -rf "$base" "$base.key"
  mmdebstrap --quiet --mode=root --variant=important --skip=check/qemu \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
    --dpkgopt=force-unsafe-io --include="$(IFS=,; echo "${packages[*]}")" \
    trixie "$base" "deb $(debian_mirror) trixie main" >"$base.log" 2>&1 ||
    die "mmdebstrap failed, see $base.log"
  chroot "$base" useradd --create-home --groups video viewer
  chroot "$base" useradd --create-home stranger
  chroot "$base" systemd-machine-id-setup --print >/dev/null
  echo "$key" >"$base.key"
}

# $root and $work, as long as the test runs.
make_layer() {
  work=$(mktemp -d "$cache/packages/test.XXXXXX")
  root=$work/root
  mkdir "$root" "$work/upper" "$work/overlay"
  trap 'umount -R "$root" && rm -rf "$work"' EXIT
  mount -t overlay overlay "$root" \
    -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/overlay"
}
