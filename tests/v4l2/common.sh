# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts beside it: places and helpers.
#
#   $cache   everything that takes long to make, outside the source tree:
#            vm/rootfs (guest root), uml/<variant> (kernels), guest/ (builds)
#   $here    this folder        $source_dir  the project

cache=${XDG_CACHE_HOME:-$HOME/.cache}/perdix
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)

die() { echo "${0##*/}: $*" >&2; exit 1; }

# need COMMAND:PACKAGE...: installs what is missing (as root).
need() {
  local pair missing=()
  for pair; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "please install: ${missing[*]}"
  # one script at a time: apt-get update does not wait for another
  mkdir -p "$cache"
  (
    flock 9
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  ) 9>"$cache/apt.lock"
}

# The archive this machine installs from, as its own apt knows it: once it has lists.
debian_mirror() {
  [ -n "$(archives)" ] || apt-get update -qq
  archives | head -n 1 | sed 's#/$##'
}

archives() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security
}

# fetch_deb SUITE PACKAGE FILE: a package of another suite than the host's.
fetch_deb() {
  local mirror path
  mirror=$(debian_mirror)
  path=$(curl -fsS "$mirror/dists/$1/main/binary-amd64/Packages.xz" | xz -dc |
    awk -v name="$2" '$1 == "Package:" { hit = $2 == name }
                      hit && $1 == "Filename:" { file = $2 } END { print file }')
  [ -n "$path" ] || die "no package $2 in $1"
  curl -fsS -o "$3" "$mirror/$path"
}

# build_here PRESET TARGET...: with this machine's compiler, and its cache if it has
# one. A configured build stays as it is, because tests may run from it meanwhile;
# ninja configures it again where a CMakeLists.txt has changed.
build_here() {
  local preset=$1 build=$source_dir/build/$1
  shift
  ! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache \
    CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$source_dir" \
    CCACHE_SLOPPINESS=pch_defines,time_macros \
    CCACHE_DIR="${CCACHE_DIR:-$cache/ccache}"
  [ -e "$build/build.ninja" ] ||
    (cd "$source_dir" && cmake --preset "$preset" --log-level=WARNING)
  ninja -C "$build" "$@"
}

# in_root COMMAND...: in the guest's root file system, on this machine's CPU,
# with the project read-only at /proj and the builds at /build, as guests see
# them. The mounts are private to the command.
in_root() {
  local root=$cache/vm/rootfs
  mkdir -p "$cache/guest"
  unshare --mount bash -euc '
    root=$1; mount --bind "$2" "$root/proj"; mount --bind "$3" "$root/build"
    mount -o remount,bind,ro "$root/proj"
    mount -t proc proc "$root/proc"; shift 3
    exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 LD_LIBRARY_PATH=/build/lib \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
    in_root "$root" "$source_dir" "$cache/guest" "$@"
}
