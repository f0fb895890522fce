# Starts and stops a sandbox of the exchange, in any POSIX shell. Source this file with `.`. It changes no shell options
# and no traps.
#
#   sandbox_start [FLAG...]              starts a sandbox; the flags are those of `effect-txc sandbox`
#   sandbox_control OPERATION [JSON]     calls its control plane, and prints the response; needs curl
#   sandbox_reset                        resets the sandbox and removes all faults; needs curl
#   sandbox_stop                         stops the sandbox, if it is running
#
# sandbox_start sets sandbox_url, sandbox_control_url and sandbox_control_token, and exports the variables of clients:
# TXC_BASE_URL, TXC_DIALECT, TXC_API_KEY and TXC_API_SECRET. Data is kept in memory unless --data is among the flags.
#
# The sandbox also stops within two seconds after the shell ends, however the shell ends. If TXC_COMMAND is set, that
# program runs instead of the effect-txc in ./node_modules or on the PATH.

# Prints the path of the effect-txc command.
_sandbox_command() {
  if [ -n "${TXC_COMMAND:-}" ]; then
    echo "$TXC_COMMAND"
  elif [ -x node_modules/.bin/effect-txc ]; then
    echo node_modules/.bin/effect-txc
  elif ! command -v effect-txc; then
    echo "sandbox_start: there is no effect-txc in ./node_modules or on the PATH. Install it, or set TXC_COMMAND" >&2
    return 1
  fi
}

# Prints a field from the first line that a sandbox writes.
_sandbox_field() {
  _sandbox_rest=${_sandbox_line#*\""$1"\":\"}
  printf %s "${_sandbox_rest%%\"*}"
}

sandbox_start() {
  sandbox_stop
  _sandbox_program=$(_sandbox_command) || return 1
  _sandbox_dialect=document
  case " $* " in *" --dialect live "* | *" --dialect=live "*) _sandbox_dialect=live ;; esac
  case " $* " in *" --data"*) ;; *) set -- --memory "$@" ;; esac
  _sandbox_output=$(mktemp) || return 1

  # This background process keeps the sandbox's standard input open until the shell or the sandbox ends.
  while kill -0 $$ && echo; do sleep 1 >/dev/null; done 2>/dev/null |
    "$_sandbox_program" sandbox --until-stdin-ends "$@" >"$_sandbox_output" &
  sandbox_pid=$!

  until IFS= read -r _sandbox_line <"$_sandbox_output" && [ "${_sandbox_line#\{}" != "$_sandbox_line" ]; do
    if ! kill -0 "$sandbox_pid" 2>/dev/null; then
      rm -f "$_sandbox_output"
      unset sandbox_pid
      echo "sandbox_start: the sandbox did not start; see the lines above" >&2
      return 1
    fi
    sleep 0.1
  done
  rm -f "$_sandbox_output"

  sandbox_url=$(_sandbox_field url)
  sandbox_control_url=$(_sandbox_field controlUrl)
  sandbox_control_token=$(_sandbox_field controlToken)
  TXC_BASE_URL=$sandbox_url
  TXC_DIALECT=$_sandbox_dialect
  TXC_API_KEY=$(_sandbox_field apiKey)
  TXC_API_SECRET=$(_sandbox_field apiSecret)
  export TXC_BASE_URL TXC_DIALECT TXC_API_KEY TXC_API_SECRET
}

# Calls the control plane. The arguments are an operation and curl options.
_sandbox_curl() {
  _sandbox_operation=$1
  shift
  curl -sS --fail-with-body --noproxy '*' "$sandbox_control_url$_sandbox_operation" \
    -H "Authorization: Bearer $sandbox_control_token" -H 'Content-Type: application/json' "$@"
}

sandbox_control() {
  _sandbox_curl "$1" -w '\n' ${2:+--data-binary "$2"}
}

sandbox_reset() {
  _sandbox_curl Reset --data-binary '{}' >/dev/null &&
    _sandbox_curl Faults -X DELETE >/dev/null &&
    _sandbox_curl Limit --data-binary '{}' >/dev/null
}

sandbox_stop() {
  [ -n "${sandbox_pid:-}" ] || return 0
  kill "$sandbox_pid" 2>/dev/null || :
  wait "$sandbox_pid" 2>/dev/null || :
  unset sandbox_pid sandbox_url sandbox_control_url sandbox_control_token
  unset TXC_BASE_URL TXC_DIALECT TXC_API_KEY TXC_API_SECRET
}
