# SPDX-License-Identifier: BSD-2-Clause
# Sourced by what needs a driver of Mesa that Debian has not packaged so: makes it
# from Debian 13's source package, which is the Raspberry Pi OS's version, on
# Debian 12 or 13; as root (or through sudo) where packages are missing.
# DEBIAN_MIRROR is the archive, by default the one that this machine installs from.

suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mesa_options=(
  --buildtype=release
  -Dplatforms= -Dvulkan-layers= -Dvideo-codecs=
  -Dglx=disabled -Degl=disabled -Dgbm=disabled -Dopengl=false
  -Dgles1=disabled -Dgles2=disabled -Dzstd=disabled -Dvalgrind=disabled
  -Dlibunwind=disabled -Dlmsensors=disabled -Dbuild-tests=false
)
mesa_packages=(
  dpkg-dev patch xz-utils g++ ninja-build pkg-config bison flex
  python3-mako python3-yaml python3-packaging
  libvulkan-dev libdrm-dev libexpat1-dev zlib1g-dev glslang-tools spirv-tools
)

say() { echo "${0##*/}: $*"; }

# quietly COMMAND...: its output goes to the log
quietly() { "$@" >>"$log" 2>&1; }

failed() {
  tail -n 15 "$log" >&2
  die "$1; the whole log: $log"
}

# private_apt COMMAND...: apt-get with $suite as its only source. Signatures and
# checksums are verified as for any package.
private_apt() {
  quietly apt-get -q -o Dir::Etc::SourceList="$work/sources.list" \
    -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
    -o Acquire::Languages=none "$@"
}

fetch_mesa() {
  local mirror
  mirror=${DEBIAN_MIRROR:-$(debian_mirror)}
  [ -n "$mirror" ] || die "needs Debian, or an archive of it in DEBIAN_MIRROR"
  [ -r $keyring ] || die "please install: debian-archive-keyring"
  say "downloading Mesa's source ($suite) from $mirror"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  printf "%s [signed-by=$keyring] $mirror $suite main\n" deb deb-src \
    >"$work/sources.list"
  # Debian 12's meson is too old for it.
  if ! { private_apt update && private_apt source mesa &&
    private_apt download meson && quietly dpkg -x meson_*.deb meson; }; then
    failed "no Mesa source from $mirror (DEBIAN_MIRROR=URL: from another archive)"
  fi
}

# One line for each tenth of what ninja does.
progress() {
  stdbuf -oL tee -a "$log" | awk -v name="${0##*/}" -F '[][/]' '
    /^\[/ && int(10 * $2 / $3) > last {
      last = int(10 * $2 / $3); print name ": " 10 * last " %"; fflush() }'
}

# In $work.
build_mesa() {
  local source file
  mkdir -p "$work"
  cd "$work"
  fetch_mesa
  source=$(echo "$work"/mesa-*/)
  for file in "${mesa_patches[@]}"; do
    quietly patch -f -d "$source" -p1 -i "$file" ||
      failed "$(basename "$source") is not the version that $file is for"
  done
  say "compiling $(basename "$source")"
  # The system's Python, because Mesa wants its python3-mako.
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=$cache/ccache
  export PYTHONPATH=$work/meson/usr/lib/python3/dist-packages
  quietly python3 meson/usr/bin/meson setup build "$source" "${mesa_options[@]}" ||
    failed "Mesa cannot be configured"
  nice ninja -C build -j "$(nproc)" "${mesa_targets[@]}" 2>&1 | progress ||
    failed "Mesa cannot be compiled"
}

# make_mesa DIR: $mesa_targets with $mesa_options and $mesa_patches in DIR, and an
# icd.json for the first one, unless they are there as made with these; what was
# compiled on the way goes away.
make_mesa() {
  local made=$1 recipe
  work=$made/work log=$made/log
  mkdir -p "$made"
  exec 9>"$made/lock"
  flock 9
  recipe=$(echo "$suite ${mesa_options[*]}"; cat "${mesa_patches[@]}" | sha256sum)
  [ "$(cat "$made/made-with" 2>/dev/null)" != "$recipe" ] || return 0
  rm -rf "$work" "$made/made-with"
  : >"$log"
  (build_mesa)
  cp "${mesa_targets[@]/#/$work/build/}" "$made/"
  echo '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0",
    "library_path": "./'"$(basename "${mesa_targets[0]}")"'"}}' >"$made/icd.json"
  rm -rf "$work"
  echo "$recipe" >"$made/made-with"
}
