# SPDX-License-Identifier: BSD-2-Clause
# bash completion of perdixctl

_perdixctl() {
  local current=$2 before=$3 command='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      status|sessions|watch|checksum|top|recipe|calibrate|reset|loglevel|trace|bench|doctor|report)
        command=$word
        break ;;
    esac
  done
  case $before in
    --colour|--color)
      mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current")
      return ;;
    -o|--output|--bench-json|--bench-svg)
      compopt -o default
      return ;;
    --frames|--timeout|-i|--interval)
      return ;;
    set)
      mapfile -t COMPREPLY < <(compgen -W 'auto scalar simd vulkan' -- "$current")
      return ;;
  esac
  local words=--help
  case $command in
    '') words='status sessions watch checksum top recipe calibrate reset loglevel
      trace bench doctor report --colour --color --version --help' ;;
    status|sessions|watch|checksum|calibrate|doctor) words+=' --json' ;;
    recipe) words+=' set --json' ;;
    top) words+=' --interval --once' ;;
    loglevel) words+=' error warning notice info debug' ;;
    trace) words+=' --output --frames --timeout --json' ;;
    report) words+=' --output --bench --bench-json --bench-svg' ;;
    bench)
      compopt -o default
      words+=' --list --gpu --gpu-cache --kernel --frames --threads --progress --quick
        --json --svg --calibrate --output --background' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _perdixctl perdixctl
