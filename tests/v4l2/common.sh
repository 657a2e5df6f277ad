# Sourced by the scripts beside it: places and one helper. Nothing here writes.
#
#   $cache   everything that takes long to make: guest root, kernels, builds
#   $here    this folder        $source_dir  the project

cache=${XDG_CACHE_HOME:-$HOME/.cache}/perdix
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)

die() { echo "${0##*/}: $*" >&2; exit 1; }

# The archive this machine installs from, as its own apt knows it.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    grep -v security | head -n 1 | sed 's#/$##'
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
